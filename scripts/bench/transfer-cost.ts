/** One whole transfer by the SDK to a virtual v2.1 tag over a perfect radio, counted. */

import { type RadioScene, radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { CONNECT_TIME } from "../../sim/radio/radio-model.ts";
import type { RadioModel, TagEvent } from "../../sim/tag/tag-types.ts";
import {
  discoveryRequests,
  EVENTS_PER_OPERATION,
  leastOperations,
  PACKETS_PER_EVENT,
  valueLength,
} from "./bounds.ts";

/** Bytes around the parts of a framed message: one head in each frame, three more bytes in the first. */
const FRAME_HEAD = 1;
const FIRST_HEAD = 3;
/** The plain value that no transfer can do without: INFO, with the id in it. */
const PLAIN_READS = 1;

/** Records that carry no more than a nonce, or nothing: kind, CBOR heads, the AEAD's tag. */
const NONCE_RECORD = 1 + 3 + 16 + 16;
const BARE_RECORD = 1 + 2 + 16;

export interface Message {
  readonly name: string;
  /** Direction and characteristic. */
  readonly way: string;
  readonly bytes: number;
}

export interface TransferCost {
  readonly messages: readonly Message[];
  readonly operations: number;
  /** The fewest that carry the bytes sent. */
  readonly leastOperations: number;
  /** The fewest that carry the bytes without which nothing works. */
  readonly leastNeeded: number;
  /** Milliseconds: connection, discovery and operations, without the display's time and all computation. */
  readonly time: number;
}

const NAMES = [
  ...["message_1", "message_2", "message_3", "message_4", "hello"],
  ...["token", "payload", "commit", "AUTHORIZED", "COMMITTED", "statement"],
];

/** Runs `work` as in a browser on `platform`. */
export async function asPlatform<Value>(platform: string, work: () => Promise<Value>): Promise<Value> {
  const real = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { userAgent: platform } });
  try {
    return await work();
  } finally {
    if (real !== undefined) Object.defineProperty(globalThis, "navigator", real);
  }
}

/** A write without response leaves in the connection event of the operation behind it, up to what an event holds. */
function perfectRadio(interval: number): RadioModel {
  let inEvent = 0;
  return {
    connect: () => ({ delay: CONNECT_TIME, fails: false }),
    operation(_index, kind) {
      inEvent = kind === "command" ? inEvent + 1 : 0;
      if (kind !== "command") return { delay: interval * EVENTS_PER_OPERATION };
      return { delay: inEvent % PACKETS_PER_EVENT === 0 ? interval : 0 };
    },
  };
}

/**
 * The cost of a transfer at this ATT MTU and connection interval (milliseconds) to a tag that has met the operator's
 * clients before, or to a new one.
 */
export async function transferCost(mtu: number, interval: number, known = true): Promise<TransferCost> {
  const tag = { frame: valueLength(mtu), displayMs: 0 };
  const scene = await radioScene({ generation: "2.1", seed: 1, tag, radio: perfectRadio(interval) });
  const once = async () => {
    await scene.pick();
    valueIn(await scene.job(() => scene.client.transferTag(scene.request)));
    await scene.settle();
  };
  if (known) await once();
  scene.tag.faults.radio = perfectRadio(interval);
  const before = { events: scene.events.length, at: scene.time.world.now() };
  await once();
  return costOf(scene, before, { mtu, interval });
}

function costOf(
  scene: RadioScene,
  before: { readonly events: number; readonly at: number },
  { mtu, interval }: { readonly mtu: number; readonly interval: number },
): TransferCost {
  const events = scene.events.slice(before.events);
  const [service] = scene.tag.services;
  const discovery = discoveryRequests(service?.characteristics.length ?? 0, mtu);
  const messages = messagesIn(events);
  const gatt = events.filter(({ type }) => type === "gatt");
  const least = (all: readonly Message[]) => leastOperations(runsOf(all), mtu) + PLAIN_READS;
  return {
    messages,
    operations: gatt.length,
    leastOperations: least(messages),
    leastNeeded: least(messages.flatMap(needed)),
    time: (gatt.at(-1)?.at ?? 0) - before.at + discovery * interval * EVENTS_PER_OPERATION,
  };
}

/** What of a message nothing works without: no statement, no AUTHORIZED; of hello the nonce, of a commit no digest. */
function needed(message: Message): Message[] {
  if (message.name === "statement" || message.name === "AUTHORIZED") return [];
  const bytes = { hello: NONCE_RECORD, commit: BARE_RECORD }[message.name] ?? message.bytes;
  return [{ ...message, bytes }];
}

/** Bytes of consecutive messages that go the same way. */
function runsOf(messages: readonly Message[]): number[] {
  const runs: number[] = [];
  for (const [at, { way, bytes }] of messages.entries()) {
    if (at > 0 && messages[at - 1]?.way === way) runs.push((runs.pop() ?? 0) + bytes);
    else runs.push(bytes);
  }
  return runs;
}

/** Messages out of the frames that carried them, in their order. */
function messagesIn(events: readonly TagEvent[]): Message[] {
  const messages: Message[] = [];
  let bytes = 0;
  for (const event of events) {
    if (event.type !== "frame") continue;
    bytes = (event.first ? -FIRST_HEAD : bytes) + event.length - FRAME_HEAD;
    const way = `${event.direction} ${event.characteristic}`;
    if (event.last) messages.push({ name: NAMES[messages.length] ?? "?", way, bytes });
  }
  return messages;
}
