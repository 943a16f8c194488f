/** Checks of how a connection ends: by a fall, by a time limit, by cancelling, by closing. */
import { PROFILE } from "../../core/gatt/profile.ts";
import { type Bench, type Check, must, mustBe, neverAborted, outcomeOf, pause } from "./bench.ts";
import type { ConnectionToCheck } from "./radio-to-check.ts";

const { INFO, SEC, CERT } = PROFILE.characteristics;

/** Cancelled operations end within 200 ms; a slow machine gets twice that. */
const AT_ONCE = 400;
/** Each operation has 8 s. */
const TIME_LIMIT = [7_500, 9_500] as const;

const never = () => new Promise<never>(() => undefined);

const START = {
  read: (connection: ConnectionToCheck, signal = neverAborted()) => connection.read(SEC.uuid, signal),
  write: (connection: ConnectionToCheck, signal = neverAborted()) =>
    connection.write(CERT.uuid, Uint8Array.of(1, 2, 3), signal),
} as const;

type Kind = keyof typeof START;
const KINDS = Object.keys(START) as Kind[];

export const endChecks: readonly Check[] = [
  ...KINDS.map((kind) => ({
    name: `a fall in a ${kind} is link_lost, for those that wait and for every later one, too`,
    run: (bench: Bench) => checkFall(bench, kind),
  })),
  {
    name: "a fall between operations closes the connection",
    async run(bench) {
      const connection = await bench.connect();
      bench.tag.fall();
      await pause(100);
      must(!connection.open, "it is open");
      await mustBeLost(connection, bench);
    },
  },
  ...KINDS.map((kind) => ({
    name: `a ${kind} without an answer times out after 8 s, and closes the link`,
    run: (bench: Bench) => checkTimeOut(bench, kind),
  })),
  ...KINDS.map((kind) => ({
    name: `a ${kind} in flight is cancelled at once, and closes the link`,
    run: (bench: Bench) => checkCancel(bench, kind),
  })),
  {
    name: "an operation that waits is cancelled at once, never starts, and leaves the link open",
    run: checkCancelWaiting,
  },
  {
    name: "an operation whose signal has fired never starts",
    real: true,
    async run(bench) {
      const connection = await bench.connect();
      const { code } = await outcomeOf(connection.read(INFO.uuid, AbortSignal.abort()));
      mustBe(code, ["cancelled"], "the read");
      must(connection.open, "the connection is closed");
    },
  },
  {
    name: "close is immediate, may be repeated, and ends every operation",
    real: true,
    async run(bench) {
      const connection = await bench.connect();
      const reading = outcomeOf(connection.read(INFO.uuid, neverAborted()));
      connection.close();
      must(!connection.open, "it is open");
      connection.close();
      mustBe((await reading).code, ["link_lost"], "a read in flight");
      mustBe((await outcomeOf(START.read(connection))).code, ["link_lost"], "a later read");
    },
  },
  {
    name: "close ends the link",
    async run(bench) {
      (await bench.connect()).close();
      await pause(200);
      must(!bench.tag.connected, "the tag is connected");
    },
  },
  {
    name: "a closed connection stays closed, and leaves a later one alone",
    real: true,
    async run(bench) {
      const old = await bench.connect();
      old.close();
      await pause(500);
      const fresh = await bench.connect();
      old.close();
      mustBe(
        (await outcomeOf(old.read(INFO.uuid, neverAborted()))).code,
        ["link_lost"],
        "a read on the old one",
      );
      must(!old.open && fresh.open, "the later connection opens the old one, or is closed by it");
      mustBe(
        (await outcomeOf(fresh.read(INFO.uuid, neverAborted()))).code,
        ["done"],
        "a read on the new one",
      );
    },
  },
];

async function mustBeLost(connection: ConnectionToCheck, { tag }: Bench): Promise<void> {
  const before = tag.arrived.length;
  for (const kind of KINDS)
    mustBe((await outcomeOf(START[kind](connection))).code, ["link_lost"], `a later ${kind}`);
  must(tag.arrived.length === before, "a later operation reached the tag");
}

async function checkFall(bench: Bench, kind: Kind): Promise<void> {
  const { tag } = bench;
  const connection = await bench.connect();
  tag.reaction = () => {
    tag.fall();
    return never();
  };
  const all = [kind, ...KINDS].map((each) => outcomeOf(START[each](connection)));
  for (const { code, after } of await Promise.all(all)) {
    mustBe(code, ["link_lost"], "an operation");
    must(after < 1_000, `it ended only after ${Math.round(after)} ms`);
  }
  must(!connection.open, "the connection is open");
  await mustBeLost(connection, bench);
}

async function checkTimeOut(bench: Bench, kind: Kind): Promise<void> {
  const { tag } = bench;
  const connection = await bench.connect();
  tag.reaction = never;
  const { code, after } = await outcomeOf(START[kind](connection));
  mustBe(code, ["timeout"], `the ${kind}`);
  must(after > TIME_LIMIT[0] && after < TIME_LIMIT[1], `it ended after ${Math.round(after)} ms`);
  await pause(200);
  must(!connection.open && !tag.connected, "the link still stands");
}

async function checkCancel(bench: Bench, kind: Kind): Promise<void> {
  const { tag } = bench;
  const connection = await bench.connect();
  tag.reaction = never;
  const controller = new AbortController();
  const running = outcomeOf(START[kind](connection, controller.signal));
  await pause(100);
  controller.abort();
  const { code, after } = await running;
  mustBe(code, ["cancelled"], `the ${kind}`);
  must(after < 100 + AT_ONCE, `it ended only after ${Math.round(after)} ms`);
  await pause(200);
  must(!connection.open && !tag.connected, "the link still stands");
}

async function checkCancelWaiting(bench: Bench): Promise<void> {
  const { tag } = bench;
  const connection = await bench.connect();
  tag.reaction = () => pause(300);
  const first = outcomeOf(START.read(connection));
  const controller = new AbortController();
  const second = outcomeOf(START.write(connection, controller.signal));
  const third = outcomeOf(START.read(connection));
  await pause(50);
  controller.abort();
  const { code, after } = await second;
  mustBe(code, ["cancelled"], "the one that waits");
  must(after < 50 + AT_ONCE, `it ended only after ${Math.round(after)} ms`);
  for (const other of [first, third]) mustBe((await other).code, ["done"], "another one");
  must(!tag.arrived.some(({ uuid }) => uuid === CERT.uuid), "it reached the tag");
  must(connection.open, "the connection is closed");
}
