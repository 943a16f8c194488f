/** The cost of SEC: bytes, GATT operations and modelled time of a v2.1 transfer by the SDK to a virtual tag. */
import { radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { CONNECT_TIME } from "../../sim/radio/radio-model.ts";
import type { RadioModel, TagEvent } from "../../sim/tag/tag-types.ts";
import { atMost, type Goal, printTable, sum } from "./harness.ts";

const MTUS = [23, 185, 247, 517] as const;
/** The MTU whose transfer has goals. */
const USUAL = 247;
/** Connection intervals in milliseconds: what phones begin with, and what a tag should ask for. */
const INTERVALS = { usual: 30, asked: 15 } as const;
/** Milliseconds: a round trip to the service, which authorizes once, and an e-paper's change. */
const ROUND_TRIP = 80;
const DISPLAY = 900;
/** 1.7 s, and the 90 ms that asking for the token before the hello would save (ADR 36). */
const MOST_TAP_TO_DONE = 1_790;
const MOST_RATIO = 1.15;
const MOST_TIME = 1_300;
/** Of the messages with a tag of one certificate; message_2 fits in two reads at an MTU of 247, with the heads of its frames. */
const MOST_BYTES = { message_1: 37, message_2: 483, message_3: 960, message_4: 17 } as const;
const NAMES =
  "message_1 message_2 message_3 message_4 hello token payload commit AUTHORIZED COMMITTED statement".split(
    " ",
  );

/** Longest attribute value (Bluetooth Core, Vol 3 Part F §3.2.9); behind opcode and handle of a write. */
const valueLength = (mtu: number): number => Math.min(mtu - 3, 512);
/** A request leaves at one connection event, its response comes with the next. */
const EVENTS_PER_OPERATION = 2;
/** Low: 251 bytes take 2.1 ms at 1 Mbit/s, and phones stop after four to six packets. */
const PACKETS_PER_EVENT = 4;
/** Bytes around a framed message: one head in each frame, three more bytes in the first. */
const FRAME_HEAD = 1;
const FIRST_HEAD = 3;

interface Message {
  readonly name: string;
  /** Direction and characteristic. */
  readonly way: string;
  readonly bytes: number;
}

interface Transfer {
  readonly mtu: number;
  readonly messages: readonly Message[];
  readonly operations: number;
  readonly least: number;
  /** Milliseconds of connection, discovery and operations, without display and computation. */
  readonly time: number;
}

export async function benchSec(): Promise<readonly Goal[]> {
  // Only Chrome on Android writes without response.
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { userAgent: "Android" } });
  const transfers: Transfer[] = [];
  for (const mtu of MTUS) transfers.push(await transferAt(mtu, INTERVALS.usual));
  const asked = await transferAt(USUAL, INTERVALS.asked);
  const usual = transfers.find(({ mtu }) => mtu === USUAL) as Transfer;
  const sizes = usual.messages.map(({ name, bytes }) => ({ message: name, bytes }));
  printTable("Bytes of each message, with its protection and without heads of frames", sizes);
  printTable(
    `GATT operations of a transfer, the fewest for these bytes, and modelled ms at intervals of ${INTERVALS.usual} ms`,
    transfers.map(({ messages: _, ...shown }) => shown),
  );
  const bytesOf = (name: string) => sizes.find(({ message }) => message === name)?.bytes ?? Number.NaN;
  const taken = "without computation, ms";
  return [
    ...Object.entries(MOST_BYTES).map(([name, most]) => atMost(`${name}, bytes`, bytesOf(name), most)),
    ...transfers.map(({ mtu, operations, least }) =>
      atMost(`operations ÷ fewest, MTU ${mtu}`, operations / least, MOST_RATIO, 3),
    ),
    atMost(
      `transfer at MTU ${USUAL}, ${INTERVALS.usual} ms, without display, ${taken}`,
      usual.time,
      MOST_TIME,
    ),
    atMost(
      `tap to done at MTU ${USUAL}, ${INTERVALS.asked} ms, ${taken}`,
      asked.time + ROUND_TRIP + DISPLAY,
      MOST_TAP_TO_DONE,
    ),
  ];
}

/** To a tag that has met the operator's clients before. */
async function transferAt(mtu: number, interval: number): Promise<Transfer> {
  const tag = { frame: valueLength(mtu), displayMs: 0 };
  const scene = await radioScene({ generation: "2.1", seed: 1, tag, radio: perfectRadio(interval) });
  const once = async () => {
    await scene.pick();
    valueIn(await scene.job(() => scene.client.transferTag(scene.request)));
    await scene.settle();
  };
  await once();
  scene.tag.faults.radio = perfectRadio(interval);
  const [seen, began] = [scene.events.length, scene.time.world.now()];
  await once();
  const events = scene.events.slice(seen);
  const operations = events.filter(({ type }) => type === "gatt");
  const messages = messagesIn(events);
  const discovery = discoveryRequests(scene.tag.services[0]?.characteristics.length ?? 0, mtu);
  const discovered = discovery * interval * EVENTS_PER_OPERATION;
  const time = (operations.at(-1)?.at ?? 0) - began + discovered;
  return { mtu, messages, operations: operations.length, least: fewestOperations(messages, mtu), time };
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

/** INFO is read; messages that follow each other the same way share values, as many as their bytes fill. */
function fewestOperations(messages: readonly Message[], mtu: number): number {
  const runs: number[] = [];
  for (const [at, { way, bytes }] of messages.entries())
    runs.push(messages[at - 1]?.way === way ? (runs.pop() ?? 0) + bytes : bytes);
  return 1 + sum(runs.map((bytes) => Math.ceil(bytes / valueLength(mtu))));
}

/**
 * Requests before the first operation: exchange of the MTU; the service by its UUID, and the answer that there is no
 * other; its characteristics, 21 bytes each in one Read By Type response of MTU − 2 bytes, and the answer that there
 * are no more (Vol 3 Part G §4.3.1, §4.4.2, §4.6.1).
 */
function discoveryRequests(characteristics: number, mtu: number): number {
  const perResponse = Math.max(1, Math.floor((mtu - 2) / 21));
  return 1 + 2 + Math.ceil(characteristics / perResponse) + 1;
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
