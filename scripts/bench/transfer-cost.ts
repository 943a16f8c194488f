/** One whole transfer by the SDK to a virtual v2.1 tag over a perfect radio, counted. */

import { radioScene } from "../../sdk/test-support/radio-scene.ts";
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

export interface Message {
  readonly name: string;
  readonly bytes: number;
}

export interface TransferCost {
  readonly messages: readonly Message[];
  readonly operations: number;
  readonly leastOperations: number;
  /** Milliseconds: connection, discovery and operations, without the display's time and all computation. */
  readonly time: number;
}

const NAMES = [
  ...["message_1", "message_2", "message_3", "message_4", "hello"],
  ...["token", "payload", "commit", "AUTHORIZED", "COMMITTED", "statement"],
];

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
  scene: Awaited<ReturnType<typeof radioScene>>,
  before: { readonly events: number; readonly at: number },
  { mtu, interval }: { readonly mtu: number; readonly interval: number },
): TransferCost {
  const events = scene.events.slice(before.events);
  const [service] = scene.tag.services;
  const discovery = discoveryRequests(service?.characteristics.length ?? 0, mtu);
  const messages = messagesIn(events);
  const gatt = events.filter(({ type }) => type === "gatt");
  const sizes = messages.map(({ bytes }) => bytes);
  return {
    messages,
    operations: gatt.length,
    leastOperations: leastOperations(sizes, mtu) + PLAIN_READS,
    time: (gatt.at(-1)?.at ?? 0) - before.at + discovery * interval * EVENTS_PER_OPERATION,
  };
}

/** Messages out of the frames that carried them, in their order. */
function messagesIn(events: readonly TagEvent[]): Message[] {
  const messages: Message[] = [];
  let bytes = 0;
  for (const event of events) {
    if (event.type !== "frame") continue;
    bytes = (event.first ? -FIRST_HEAD : bytes) + event.length - FRAME_HEAD;
    if (event.last) messages.push({ name: NAMES[messages.length] ?? "?", bytes });
  }
  return messages;
}
