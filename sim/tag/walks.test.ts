import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload, type TicketPayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { Central } from "../test-support/central.ts";
import { drive, sleepIn } from "../test-support/clockwork.ts";
import { type Parties, parties, tagOf } from "../test-support/parties.ts";
import { CLEAR, LABEL, PAYLOAD } from "../test-support/stages.ts";
import { VirtualWorld } from "../virtual-world.ts";
import type { TagSimulator } from "./tag-simulator.ts";
import { AttError, type TagEvent, type TagSnapshot } from "./tag-types.ts";

/** More of them by night: `VITE_WALKS=10000`. */
const WALKS = Number(import.meta.env.VITE_WALKS ?? 150);
const OTHER = encodePayload({ ...LABEL, licencePlate: "0117123457" });

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

/** What a central did, as far as it matters for what a tag may do. */
interface Model {
  /** Payloads a good token was sent for on this connection, and not used yet. */
  granted: Bytes | undefined;
  /** Good tokens were only sent with a nonce of this connection. */
  staged: Bytes | undefined;
  /** What the display was last told to show. */
  committing: Bytes | undefined;
  lockedUntil: number;
}

interface Walker {
  readonly world: VirtualWorld;
  readonly tag: TagSimulator;
  readonly model: Model;
  central: Central;
}

type Step = (walker: Walker) => Promise<void>;

const wait =
  (milliseconds: number): Step =>
  ({ world }) =>
    sleepIn(world, milliseconds);

const good =
  (payload: Bytes, operation: "write" | "clear"): Step =>
  async ({ central, tag, model }) => {
    if (central.channel !== undefined) {
      const token = await central.token(payload, operation);
      if (tag.snapshot().state === "ESTABLISHED") model.granted = payload;
      await central.say({ kind: "token", token });
      await central.record();
    } else {
      const token = await central.plainToken(payload, operation);
      if (tag.snapshot().state === "PRESENTED") model.granted = payload;
      await central.send("AUTH", "TOKEN", token);
    }
  };

const data =
  (payload: Bytes): Step =>
  async ({ central, model }) => {
    model.staged = payload;
    if (central.channel !== undefined) await central.stage(payload);
    else await central.send("DATA", "PAYLOAD", payload);
  };

const STEPS: Readonly<Record<string, Step>> = {
  connect: async (walker) => {
    walker.central = new Central(walker.tag, walker.world, people);
    await walker.tag.connect();
    walker.model.granted = undefined;
    walker.model.staged = undefined;
  },
  disconnect: async ({ tag }) => tag.disconnect(),
  handshake: async ({ central }) => void (await central.handshake()),
  "half a handshake": async ({ central }) => void (await central.begin()),
  chain: async ({ central }) => void (await central.present()),
  "token to write": good(PAYLOAD, "write"),
  "token to write another": good(OTHER, "write"),
  "token to clear": good(CLEAR, "clear"),
  "bad token": async ({ central }) => {
    if (central.channel !== undefined) await central.say({ kind: "token", token: Uint8Array.of(1) });
    else await central.send("AUTH", "TOKEN", Uint8Array.of(1));
  },
  "another tag's token": async ({ central }) => {
    const nonce = central.hello?.nonce ?? new Uint8Array(16);
    const token = await people.tokens.sign({ aud: "ebt-21-0002", nonce });
    if (central.channel !== undefined) await central.say({ kind: "token", token });
    else await central.send("AUTH", "TOKEN", token);
  },
  label: data(PAYLOAD),
  "another label": data(OTHER),
  clear: data(CLEAR),
  commit: async ({ central, model }) => {
    await central.commit(model.staged ?? PAYLOAD);
    await central.record();
  },
  "commit unread": async ({ central, model }) => central.commit(model.staged ?? PAYLOAD),
  fresh: async ({ central }) => {
    await central.say({ kind: "fresh" });
    await central.nextHello();
  },
  challenge: async ({ central }) => {
    await central.say({ kind: "challenge", challenge: new Uint8Array(16) });
    await central.record();
  },
  abort: async ({ central }) => central.say({ kind: "abort" }),
  "noise on SEC": async ({ central }) => central.raw("SEC", Uint8Array.of(0xc0, 3, 1, 0, 1)),
  "noise on DATA": async ({ central }) => central.raw("DATA", Uint8Array.of(7, 7)),
  "read SEC": async ({ central }) => void (await central.receive()),
  "read STATUS": async ({ central }) => void (await central.status()),
  "a second": wait(1_000),
  "eleven seconds": wait(11_000),
  "a lockout": wait(31_000),
  reboot: async ({ tag }) => tag.reboot(),
};

/** A step that the tag refuses, or that this central cannot take now, is taken nevertheless: that is the point. */
async function take(walker: Walker, name: string): Promise<void> {
  try {
    await STEPS[name]?.(walker);
  } catch (error) {
    const expected = error instanceof AttError || error instanceof SecError || error instanceof Error;
    if (!expected || error instanceof TypeError || error instanceof RangeError) throw error;
  }
  await walker.tag.settled();
}

/** What must hold after every step, whatever it was. */
function check(before: TagSnapshot, { tag, model, world }: Walker, events: readonly TagEvent[]): void {
  const after = tag.snapshot();
  const authorised = events.some(
    (event) => event.type === "state" && event.because === "tokenAccepted" && event.to === "AUTHORIZED",
  );
  if (authorised) expect(model.granted).toBeDefined();
  const entered = (state: string) =>
    events.filter((event) => event.type === "state" && event.to === state).length;
  // What goes to the display is what was granted, once.
  if (entered("COMMITTING") > 0) {
    expect(model.granted).toBeDefined();
    expect(model.staged).toEqual(model.granted);
    model.committing = model.granted;
    model.granted = undefined;
  }
  // The display is what it was, but for a commit.
  const commits = after.commits - before.commits;
  expect(commits).toBe(entered("COMMITTED"));
  expect(commits).toBeLessThanOrEqual(1);
  if (commits === 0) {
    expect(after.display.content).toEqual(before.display.content);
    expect(after.lastDigest).toEqual(before.lastDigest);
  } else {
    expect(model.committing).toBeDefined();
    const shown = after.display.content === null ? { kind: "clear" } : after.display.content;
    expect(encodePayload(shown as TicketPayload)).toEqual(model.committing);
  }
  // A version once given up does not come back.
  if (before.versionMin === "2.1") expect(after.versionMin).toBe("2.1");
  // A lockout holds for its time.
  if (after.state === "LOCKOUT" && before.state !== "LOCKOUT")
    model.lockedUntil = world.now() + after.lockoutLeft;
  if (after.state !== "LOCKOUT") expect(world.now()).toBeGreaterThanOrEqual(model.lockedUntil);
  if (after.state === "IDLE" || after.state === "LOCKOUT") return;
  expect(after.connected || after.state === "COMMITTING").toBe(true);
}

async function walk(names: readonly string[], generation: "2.0" | "2.1", seed: number): Promise<void> {
  const world = new VirtualWorld(seed);
  const tag = await tagOf(people, world, { generation });
  const model: Model = { granted: undefined, staged: undefined, committing: undefined, lockedUntil: 0 };
  const walker: Walker = { world, tag, model, central: new Central(tag, world, people) };
  let events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  await drive(world, async () => {
    for (const name of names) {
      const before = tag.snapshot();
      events = [];
      await take(walker, name);
      check(before, walker, events);
    }
  });
}

const name = fc.constantFrom(...Object.keys(STEPS));
/** Walks that often get somewhere: honest beginnings with anything in between and behind. */
const beginnings: readonly (readonly string[])[] = [
  [],
  ["connect"],
  ["connect", "handshake"],
  ["connect", "handshake", "token to write"],
  ["connect", "handshake", "token to write", "label"],
  ["connect", "handshake", "token to clear", "clear", "commit unread"],
  ["connect", "handshake", "token to write", "label", "commit", "disconnect", "connect"],
  ["connect", "chain", "token to write"],
  ["connect", "chain", "token to write", "label"],
];
const walks = fc
  .tuple(fc.constantFrom(...beginnings), fc.array(name, { maxLength: 7 }), fc.array(name, { maxLength: 5 }))
  .map(([beginning, some, more]) => [...beginning, ...some, ...more]);

describe("any walk", () => {
  it.each(["2.1", "2.0"] as const)(
    "of a v%s tag authorises only what was granted, shows only what was committed, and never opens a lock early",
    { timeout: 3_600_000 },
    async (generation) => {
      const property = fc.asyncProperty(walks, fc.nat(), (names, seed) => walk(names, generation, seed));
      await fc.assert(property, { numRuns: Math.ceil(WALKS / 2) });
    },
  );
});
