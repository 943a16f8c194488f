/** The cost of SEC: GATT operations and modelled time of a v2.1 transfer by the SDK to a virtual tag. */
import { radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { CONNECT_TIME } from "../../sim/radio/radio-model.ts";
import type { RadioModel } from "../../sim/tag/tag-types.ts";
import { atMost, type Goal, printTable } from "./harness.ts";

/** Operations of a transfer by MTU: a tenth above the fewest for its bytes, which vary with certificates and signatures. */
const MOST_OPERATIONS = { 23: 107, 185: 16, 247: 14, 517: 10 } as const;
/** The MTU whose transfer has goals of time. */
const USUAL = 247;
/** Connection intervals in milliseconds: what phones begin with, and what a tag should ask for. */
const INTERVALS = { usual: 30, asked: 15 } as const;
/** Milliseconds: a round trip to the service, which authorizes once, and an e-paper's change. */
const ROUND_TRIP = 80;
const DISPLAY = 900;
/** 1.7 s, and the 90 ms that asking for the token before the hello would save (ADR 36). */
const MOST_TAP_TO_DONE = 1_790;
const MOST_TIME = 1_300;
/** Longest attribute value (Bluetooth Core, Vol 3 Part F §3.2.9): behind opcode and handle of a write. */
const valueLength = (mtu: number): number => Math.min(mtu - 3, 512);
/** A request leaves at one connection event, its response comes with the next. */
const EVENTS_PER_OPERATION = 2;
/** Low: 251 bytes take 2.1 ms at 1 Mbit/s, and phones stop after four to six packets. */
const PACKETS_PER_EVENT = 4;

export async function benchSec(): Promise<readonly Goal[]> {
  // Only Chrome on Android writes without response.
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { userAgent: "Android" } });
  const transfers: Awaited<ReturnType<typeof transferAt>>[] = [];
  for (const mtu of Object.keys(MOST_OPERATIONS))
    transfers.push(await transferAt(Number(mtu), INTERVALS.usual));
  const usual = transfers.find(({ mtu }) => mtu === USUAL)?.time ?? Number.NaN;
  const asked = await transferAt(USUAL, INTERVALS.asked);
  printTable("GATT operations of a transfer, and modelled ms", [...transfers, asked]);
  const taken = "without computation, ms";
  return [
    ...transfers.map(({ mtu, operations }) =>
      atMost(`operations, MTU ${mtu}`, operations, MOST_OPERATIONS[mtu as typeof USUAL]),
    ),
    atMost(`transfer at MTU ${USUAL}, ${INTERVALS.usual} ms, without display, ${taken}`, usual, MOST_TIME),
    atMost(
      `tap to done at MTU ${USUAL}, ${INTERVALS.asked} ms, ${taken}`,
      asked.time + ROUND_TRIP + DISPLAY,
      MOST_TAP_TO_DONE,
    ),
  ];
}

/** To a tag that has met the operator's clients before; `time` is connection, discovery and operations. */
async function transferAt(mtu: number, interval: number) {
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
  const operations = scene.events.slice(seen).filter(({ type }) => type === "gatt");
  const discovery = discoveryRequests(scene.tag.services[0]?.characteristics.length ?? 0, mtu);
  const discovered = discovery * interval * EVENTS_PER_OPERATION;
  const time = (operations.at(-1)?.at ?? 0) - began + discovered;
  return { mtu, interval, operations: operations.length, time };
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
 * Requests before the first operation: exchange of the MTU; the service by its UUID, and the answer that there is no
 * other; its characteristics, 21 bytes each in one Read By Type response of MTU − 2 bytes, and the answer that there
 * are no more (Vol 3 Part G §4.3.1, §4.4.2, §4.6.1).
 */
function discoveryRequests(characteristics: number, mtu: number): number {
  const perResponse = Math.max(1, Math.floor((mtu - 2) / 21));
  return 1 + 2 + Math.ceil(characteristics / perResponse) + 1;
}
