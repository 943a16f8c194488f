import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { FRAME_TYPE, type FrameType, type GattVersion, STATUS, TAG_STATE } from "../../core/gatt/profile.ts";
import { frames } from "../../core/sec/framing.ts";
import type { InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import { commitMark } from "../../core/sec/statement.ts";
import { isTaglatchError } from "../errors.ts";
import { type ScriptedScene, scriptedScene } from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";
import type { Result } from "../types.ts";

/** Scripts of tags, or of an attacker between, that do anything at any moment: as data, so that a run can be shrunk. */

/** What is done to the frames of the tag's `at`-th message. */
interface FrameAct {
  readonly at: number;
  readonly what:
    | "drop"
    | "lose one"
    | "cut"
    | "repeat"
    | "reverse"
    | "flip"
    | "say instead"
    | "say before"
    | "earlier";
  readonly number: number;
  readonly type: FrameType;
  readonly message: Bytes;
}

/** What a tag with keys says to the `at`-th record instead of what is honest, or behind it. */
interface RecordAct {
  readonly at: number;
  readonly behind: boolean;
  readonly say: readonly ("hello" | "another's hello" | number)[];
}

interface Mischief {
  readonly frames: readonly FrameAct[];
  readonly records: readonly RecordAct[];
  /** The value of the `at`-th read. */
  readonly reads: readonly { readonly at: number; readonly value: Bytes | "cut" }[];
  readonly fall: { readonly at: number; readonly when: "before" | "after" } | undefined;
  /** v2.0: STATUS from the `from`-th reading on. */
  readonly status:
    | { readonly from: number; readonly state: keyof typeof TAG_STATE; readonly code: keyof typeof STATUS }
    | undefined;
  readonly away: boolean;
}

const names = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  fc.constantFrom(...(Object.keys(table) as Name[]));
const bytes = (maxLength: number) =>
  fc.uint8Array({ minLength: 1, maxLength }).map((value) => Uint8Array.from(value));
const few = <Value>(each: fc.Arbitrary<Value>) => fc.array(each, { maxLength: 2 });
const seldom = <Value>(each: fc.Arbitrary<Value>) => fc.option(each, { nil: undefined, freq: 3 });

const acts = fc.constantFrom<FrameAct["what"]>(
  ...(["drop", "lose one", "cut", "repeat", "reverse", "flip"] as const),
  ...(["say instead", "say before", "earlier"] as const),
);
const alerts = fc.record({
  at: fc.nat(7),
  what: fc.constantFrom("say instead" as const, "say before" as const),
  number: fc.constant(0),
  type: fc.constant("ALERT" as const),
  message: fc.constantFrom(...Object.values(STATUS)).map((code) => Uint8Array.of(code)),
});

/** Between tag and client: without keys. */
const between = {
  frames: few(
    fc.oneof(
      alerts,
      fc.record({ at: fc.nat(7), what: acts, number: fc.nat(), type: names(FRAME_TYPE), message: bytes(40) }),
    ),
  ),
  reads: few(fc.record({ at: fc.nat(16), value: fc.oneof(fc.constant("cut" as const), bytes(20)) })),
  fall: seldom(fc.record({ at: fc.nat(9), when: fc.constantFrom("before" as const, "after" as const) })),
  away: fc.nat(9).map((chance) => chance === 0),
};

/** An attacker between an honest v2.1 tag and the client. */
const MEDDLER: fc.Arbitrary<Mischief> = fc.record({
  ...between,
  records: fc.constant([]),
  status: fc.constant(undefined),
});

/** A tag that has keys, and lies. */
const LIAR: fc.Arbitrary<Mischief> = fc.record({
  ...between,
  records: fc.array(
    fc.record({
      at: fc.nat(5),
      behind: fc.boolean(),
      say: fc.array(
        fc.oneof(
          fc.constantFrom("hello" as const, "another's hello" as const),
          fc.constantFrom<number>(...Object.values(STATUS), 99),
        ),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
  status: seldom(fc.record({ from: fc.nat(6), state: names(TAG_STATE), code: names(STATUS) })),
});

/** Frames of whatever connection was received so far, for the next to say. */
const received: Bytes[] = [];
const LONGEST_MEMORY = 200;

function done({ what, number, type, message }: FrameAct, honest: readonly Bytes[]): readonly Bytes[] {
  const one = number % honest.length;
  const changed = (change: (frame: Bytes) => Bytes) =>
    honest.map((frame, index) => (index === one ? change(frame) : frame));
  switch (what) {
    case "drop":
      return [];
    case "lose one":
      return honest.filter((_, index) => index !== one);
    case "cut":
      return changed((frame) => frame.slice(0, number % frame.length));
    case "repeat":
      return honest.flatMap((frame, index) => (index === one ? [frame, frame] : [frame]));
    case "reverse":
      return honest.toReversed();
    case "flip":
      return changed((frame) =>
        frame.map((byte, index) => (index === number % frame.length ? byte ^ 1 : byte)),
      );
    case "say instead":
      return frames(type, message, 244);
    case "say before":
      return [...frames(type, message, 244), ...honest];
    case "earlier":
      return [...received.slice(number % (received.length + 1)).slice(0, honest.length), ...honest];
  }
}

function sayOf(acts: readonly FrameAct[]): Required<Script>["say"] {
  let messages = 0;
  return (honest) => {
    const at = messages++;
    received.push(...honest);
    received.splice(0, received.length - LONGEST_MEMORY);
    return acts.reduce<readonly Bytes[]>(
      (said, act) => (act.at === at && said.length > 0 ? done(act, said) : said),
      honest,
    );
  };
}

function answerOf(acts: readonly RecordAct[]): Required<Script>["answer"] {
  let records = 0;
  return (_record: InitiatorRecord, honest: readonly ResponderRecord[]) => {
    const at = records++;
    return acts.reduce<readonly ResponderRecord[]>((said, act) => {
      if (act.at !== at) return said;
      const own = act.say.map(recordOf);
      return act.behind ? said.concat(own) : own;
    }, honest);
  };
}

function recordOf(what: RecordAct["say"][number]): ResponderRecord {
  if (typeof what === "number") return { kind: "status", status: what };
  const id = what === "hello" ? "ebt-21-0001" : "ebt-21-0002";
  return { kind: "hello", nonce: new Uint8Array(16).fill(1), ttl: 120, id, commits: 0, mark: null };
}

function scriptOf({ frames, records, reads, fall, status, away }: Mischief): Script | "out of reach" {
  if (away) return "out of reach";
  let sent = 0;
  let read = 0;
  let asked = 0;
  return {
    say: sayOf(frames),
    answer: answerOf(records),
    falls: () => (fall?.at === sent++ ? fall?.when : undefined),
    garble(value) {
      const at = read++;
      const act = reads.find((each) => each.at === at);
      if (act === undefined) return value;
      return act.value === "cut" ? value.slice(0, value.length >> 1) : act.value;
    },
    ...(status && {
      status: () => (asked++ >= status.from ? { state: status.state, code: status.code } : {}),
    }),
  };
}

/** Jobs of each kind. */
const JOBS = dailyOrFull(10, 2_000);
const NIGHT = { timeout: 3_600_000 };

/** Every connection its own mischief, and an honest one after the last. */
const mischiefs = (each: fc.Arbitrary<Mischief>) => fc.array(each, { minLength: 1, maxLength: 4 });

/** Ends by itself (virtual time has a budget), and with an error of ours. */
async function job(generation: GattVersion, all: readonly Mischief[], operation: "transfer" | "clear") {
  const scene = await scriptedScene(generation, [...all.map(scriptOf), {}]);
  const result: Result<unknown> = await scene[operation]();
  if (!result.ok) expect(isTaglatchError(result.error) && result.error.code !== "internal").toBe(true);
  expect(scene.tag.connections.filter(({ open }) => open)).toEqual([]);
  return { scene, result };
}

/** On some connection the tag itself said that it has committed what it was asked to: at once, or when it was asked. */
async function saidCommitted({ tag }: ScriptedScene): Promise<boolean> {
  const digests = tag.connections.flatMap(({ received }) =>
    received.flatMap((record) => (record.kind === "commit" ? [record.sha256] : [])),
  );
  const said = tag.connections.flatMap((connection) => connection.said);
  const hellos = said.filter((record) => record.kind === "hello");
  const marks = await Promise.all(
    hellos.flatMap(({ nonce }) => digests.map((digest) => commitMark(nonce, digest))),
  );
  const isOurs = (named: Bytes | null) => named !== null && marks.some((mark) => equalBytes(named, mark));
  return (
    said.some((record) => record.kind === "status" && record.status === STATUS.COMMITTED) ||
    hellos.some(({ mark }) => isOurs(mark))
  );
}

const operations = fc.constantFrom("transfer" as const, "clear" as const);

describe("a job with an attacker between the client and an honest v2.1 tag", () => {
  it(
    "ends, says no more than the tag does, and of a failure whether anything has changed",
    NIGHT,
    async () => {
      const property = fc.asyncProperty(mischiefs(MEDDLER), operations, async (all, operation) => {
        const { scene, result } = await job("2.1", all, operation);
        expect(scene.tag.commits).toBeLessThanOrEqual(1);
        if (result.ok) expect(scene.tag.commits).toBe(1);
        else if (result.error.code !== "outcome_unknown") expect(scene.tag.commits).toBe(0);
      });
      await fc.assert(property, { numRuns: JOBS });
    },
  );
});

describe("a job with a v2.1 tag that lies", () => {
  it("ends, and is no success unless the tag says so", NIGHT, async () => {
    const property = fc.asyncProperty(mischiefs(LIAR), operations, async (all, operation) => {
      const { scene, result } = await job("2.1", all, operation);
      if (result.ok) expect(await saidCommitted(scene)).toBe(true);
    });
    await fc.assert(property, { numRuns: JOBS });
  });
});

describe("a job with a v2.0 tag that lies", () => {
  it("ends, and is no success unless the tag received the commit", NIGHT, async () => {
    const property = fc.asyncProperty(mischiefs(LIAR), operations, async (all, operation) => {
      const { scene, result } = await job("2.0", all, operation);
      const isSent = scene.tag.connections.some(({ messages }) =>
        messages.some(({ type }) => type === "PAYLOAD"),
      );
      if (result.ok) expect(isSent).toBe(true);
    });
    await fc.assert(property, { numRuns: JOBS });
  });
});
