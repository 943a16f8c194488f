/** The cost of SEC: bytes, operations and modelled time of a transfer, each beside its goal. */
import { printTable } from "./table.ts";
import { asPlatform, type Message, type TransferCost, transferCost } from "./transfer-cost.ts";

const MTUS = [23, 185, 247, 517] as const;
const INTERVALS = [15, 30, 45] as const;
/** The radio whose whole transfer has a goal. */
const USUAL = { mtu: 247, interval: 30 } as const;

/** Bytes of the messages with a leaf-only tag; the first and the last are exact. */
const MOST_BYTES = { message_1: 37, message_2: 540, message_3: 960, message_4: 17 } as const;
const MOST_RATIO = 1.15;
const MOST_TIME = 1_300;
/** Published figure for the tag's side, in software on an nRF52840 (protocol.md, Sizes); not part of the client's goal. */
const TAG_COMPUTE = 1_200;

interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly met: boolean;
}

interface Cell extends TransferCost {
  readonly mtu: number;
  readonly interval: number;
  /** The same where every write has a response: anywhere but in Chrome on Android. */
  readonly withResponses: number;
  /** The same for a tag that does not know the intermediate. */
  readonly newTag: number;
}

async function cellOf(mtu: number, interval: number): Promise<Cell> {
  const onAndroid = await asPlatform("Android", () => transferCost(mtu, interval));
  const { time: withResponses } = await transferCost(mtu, interval);
  const { time: newTag } = await asPlatform("Android", () => transferCost(mtu, interval, false));
  return { mtu, interval, ...onAndroid, withResponses, newTag };
}

/** Prints everything; resolves with whether every goal was met. */
export async function benchSec(): Promise<boolean> {
  const cells: Cell[] = [];
  for (const mtu of MTUS) for (const interval of INTERVALS) cells.push(await cellOf(mtu, interval));
  const usual = cells.find(({ mtu, interval }) => mtu === USUAL.mtu && interval === USUAL.interval) as Cell;
  printMessages(usual.messages);
  printTransfers(cells);
  const goals = [...byteGoals(usual.messages), ratioGoal(cells), timeGoal(usual)];
  printTable(
    "Goals",
    goals.map(({ what, goal, figure, met }) => ({ what, goal, figure, met: met ? "yes" : "NO" })),
  );
  return goals.every(({ met }) => met);
}

const bytesOf = (messages: readonly Message[], name: string) =>
  messages.find((message) => message.name === name)?.bytes ?? Number.NaN;

function byteGoals(messages: readonly Message[]): Goal[] {
  return Object.entries(MOST_BYTES).map(([name, most]) => {
    const bytes = bytesOf(messages, name);
    const exact = most < 100;
    const met = exact ? bytes === most : bytes <= most;
    return { what: `${name}, bytes`, goal: exact ? `${most}` : `≤ ${most}`, figure: `${bytes}`, met };
  });
}

const ratioOf = ({ operations, leastOperations }: TransferCost) => operations / leastOperations;

function ratioGoal(cells: readonly Cell[]): Goal {
  const worst = Math.max(...cells.map(ratioOf));
  return {
    what: "operations ÷ lower bound, worst MTU",
    goal: `≤ ${MOST_RATIO}`,
    figure: worst.toFixed(3),
    met: worst <= MOST_RATIO,
  };
}

function timeGoal({ time }: Cell): Goal {
  return {
    what: "whole transfer at MTU 247, 30 ms, without display, service and all computation, ms",
    goal: `≤ ${MOST_TIME}`,
    figure: time.toFixed(0),
    met: time <= MOST_TIME,
  };
}

function printMessages(messages: readonly Message[]): void {
  printTable(
    "Bytes of each message, leaf-only tag (records with their protection, frames without their heads)",
    messages.map(({ name, bytes }) => ({ message: name, bytes })),
  );
}

function printTransfers(cells: readonly Cell[]): void {
  printTable(
    "A whole v2.1 transfer: GATT operations, their lower bound for these bytes, and modelled time in ms",
    cells.map((cell) => ({
      MTU: cell.mtu,
      interval: cell.interval,
      operations: cell.operations,
      bound: cell.leastOperations,
      "bound of what is needed": cell.leastNeeded,
      ratio: ratioOf(cell).toFixed(3),
      time: Math.round(cell.time),
      "responses to every write": Math.round(cell.withResponses),
      "new tag": Math.round(cell.newTag),
      "with tag compute": Math.round(cell.time + TAG_COMPUTE),
    })),
  );
}
