import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload, type TicketPayload } from "../../core/bag/payload.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { commitMark } from "../../core/sec/statement.ts";
import type { TagEvent, TagSnapshot } from "../../sim/tag/tag-types.ts";
import { neverCancelled, sleep } from "../abort.ts";
import { isTaglatchError, TagError } from "../errors.ts";
import { outcomeOf, type SecuredTag } from "../tag/secured-tag.ts";
import { makeTroupe, STALE, type Ticket, type Troupe, Walker } from "../test-support/client-walker.ts";

/** Walks of both generations together. */
const WALKS = dailyOrFull(60, 10_000);
const signal = neverCancelled();

let troupe: Troupe;
beforeAll(async () => {
  troupe = await makeTroupe();
});

type Step = (walker: Walker) => Promise<void>;

const sessionOf = ({ session }: Walker): SecuredTag => {
  if (session === undefined) throw new TagError("protocol", "no session");
  return session;
};

async function connect(walker: Walker): Promise<void> {
  walker.opened = await walker.open(0);
  walker.session = undefined;
  walker.granted = undefined;
}

async function secure(walker: Walker): Promise<void> {
  if (walker.opened === undefined) throw new TagError("protocol", "not connected");
  walker.session = await walker.secure(walker.opened);
}

const authorize =
  (of: (troupe: Troupe) => Ticket): Step =>
  async (walker) => {
    const session = sessionOf(walker);
    const ticket = of(troupe);
    const token = await walker.makeToken(session, ticket);
    if (session.state === "ESTABLISHED") walker.granted = ticket;
    walker.token = token;
  };

const badToken =
  (changes: Parameters<Walker["makeToken"]>[2]): Step =>
  async (walker) => {
    walker.token = await walker.makeToken(sessionOf(walker), troupe.label, changes);
    await deliver(({ label }) => label)(walker);
  };

const deliver =
  (of: (troupe: Troupe) => Ticket): Step =>
  async (walker) => {
    const session = sessionOf(walker);
    const { payload, digest } = of(troupe);
    const delivery = { payload, digest, onProgress: () => undefined, onCommit: async () => undefined };
    const mark = await commitMark(session.nonce.value, digest);
    if (walker.token === undefined) throw new TagError("protocol", "no token was given");
    if (session.state === "ESTABLISHED") walker.delivered = { ticket: of(troupe), before: session, mark };
    await session.write(walker.token, delivery, signal);
  };

const pass =
  (milliseconds: number): Step =>
  () =>
    sleep(milliseconds, signal);

const together =
  (...steps: readonly Step[]): Step =>
  async (walker) => {
    for (const step of steps) await step(walker);
  };

/** The link falls so many milliseconds into whatever comes next. */
const fallIn =
  (milliseconds: number): Step =>
  async ({ time, tag }) =>
    void time.world.after(milliseconds, () => tag.disconnect());

/** After a lost commit: a new session, and the tag's statement of what became of it. */
async function ask(walker: Walker): Promise<void> {
  const { delivered } = walker;
  await connect(walker);
  await secure(walker);
  if (delivered === undefined) return;
  const { mark, before } = delivered;
  const commits = walker.tag.snapshot().commits - (before.lastCommit.commits ?? 0);
  const outcome = outcomeOf(sessionOf(walker).lastCommit, mark, before.lastCommit);
  // v2.0 counts nothing; v2.1 knows exactly.
  if (walker.generation === "2.1" && commits < 2)
    expect(outcome).toBe(commits === 1 ? "committed" : "unchanged");
}

const STEPS: Readonly<Record<string, Step>> = {
  connect,
  secure,
  "a rival connects": async (walker) => (await walker.open(1)).connection.close(),
  "token to write": authorize(({ label }) => label),
  "token to write another": authorize(({ other }) => other),
  "token to clear": authorize(({ clear }) => clear),
  "token for another tag": badToken({ aud: "ebt-21-0002" }),
  "token with a stale nonce": badToken({ nonce: STALE }),
  noise: async (walker) => {
    walker.token = Uint8Array.of(1, 2, 3);
    await deliver(({ label }) => label)(walker);
  },
  "fresh nonce": async (walker) => sessionOf(walker).refreshNonce(signal),
  "a statement": async (walker) => void (await sessionOf(walker).statement(signal, new Uint8Array(16))),
  "the receipt": async (walker) => void (await sessionOf(walker).statement(signal)),
  label: deliver(({ label }) => label),
  "another label": deliver(({ other }) => other),
  clear: deliver(({ clear }) => clear),
  "the link falls during the display": fallIn(400),
  "the link falls at once": async ({ tag }) => tag.disconnect(),
  "ask what became of it": ask,
  "a slow proof": together(
    pass(125_000),
    async (walker) => sessionOf(walker).refreshNonce(signal),
    authorize(({ label }) => label),
  ),
  "a proof too slow for its nonce": together(
    pass(125_000),
    authorize(({ label }) => label),
  ),
  "a second": pass(1_000),
  "eleven seconds": pass(11_000),
  "a lockout": pass(31_000),
  reboot: async ({ tag }) => tag.reboot(),
};

/** What the client and the tag must have in common after every step. */
function check(
  before: TagSnapshot,
  walker: Walker,
  events: readonly TagEvent[],
  lockedUntil: number,
): number {
  const after = walker.tag.snapshot();
  const entered = (state: string) =>
    events.filter((event) => event.type === "state" && event.to === state).length;
  const now = walker.time.world.now();
  // A token was checked before anybody is authorized, and it was a good one.
  const accepted = events.filter(
    (event) => event.type === "state" && event.because === "tokenAccepted",
  ).length;
  if (events.some((event) => event.type === "link" && event.change === "connected")) walker.accepted = false;
  if (accepted > 0) {
    expect(walker.granted).toBeDefined();
    walker.accepted = true;
  }
  const { session } = walker;
  // The tag may have given up; but it was the tag that said so, on this very link.
  if (session?.state === "COMMITTED") expect(walker.accepted).toBe(true);
  // The client says COMMITTED only of what the tag has committed.
  if (session?.state === "COMMITTED") expect(after.lastDigest).toEqual(walker.delivered?.ticket.digest);
  // The display changes by COMMITTED alone, once, into what was granted.
  expect(after.commits - before.commits).toBe(entered("COMMITTED"));
  if (after.commits === before.commits) expect(after.display.content).toEqual(before.display.content);
  else {
    expect(after.commits - before.commits).toBe(1);
    const shown = after.display.content ?? { kind: "clear" };
    expect(encodePayload(shown as TicketPayload)).toEqual(walker.delivered?.ticket.payload);
  }
  // One link, and one session, at a time.
  for (const event of events) {
    if (event.type !== "link" || event.change === "refused") continue;
    expect(event.change).toBe(walker.linked ? "disconnected" : "connected");
    walker.linked = event.change === "connected";
  }
  expect(walker.sessions.filter((each) => each.open).length).toBeLessThanOrEqual(1);
  // A lockout holds for its time.
  if (after.state !== "LOCKOUT") expect(now).toBeGreaterThanOrEqual(lockedUntil);
  return after.state === "LOCKOUT" && before.state !== "LOCKOUT" ? now + after.lockoutLeft : lockedUntil;
}

/** A step that must not succeed now fails with a code; nothing else may be thrown. */
async function take(walker: Walker, name: string): Promise<void> {
  const step = STEPS[name] as Step;
  try {
    await walker.run(() => step(walker));
  } catch (error) {
    if (!isTaglatchError(error) || error.code === "internal") throw error;
  }
}

async function walk(names: readonly string[], generation: "2.0" | "2.1", seed: number): Promise<void> {
  const walker = await Walker.create(troupe, generation, seed);
  let events: TagEvent[] = [];
  let lockedUntil = 0;
  walker.tag.observe((event) => events.push(event));
  for (const name of [...names, "a second"]) {
    const before = walker.tag.snapshot();
    events = [];
    await take(walker, name);
    lockedUntil = check(before, walker, events, lockedUntil);
  }
}

const name = fc.constantFrom(...Object.keys(STEPS));
/** Honest beginnings, so that walks often get somewhere. */
const beginnings: readonly (readonly string[])[] = [
  ["connect"],
  ["connect", "secure"],
  ["connect", "secure", "token to write"],
  ["connect", "secure", "token to write", "label"],
  [
    "connect",
    "secure",
    "token to clear",
    "the link falls during the display",
    "clear",
    "ask what became of it",
  ],
  ["connect", "secure", "token to write", "the link falls during the display", "label", "connect", "secure"],
  ["connect", "secure", "a slow proof"],
  ["connect", "secure", "a proof too slow for its nonce", "token to write", "label"],
  ["connect", "secure", "noise", "noise", "noise"],
  ["connect", "secure", "token with a stale nonce", "token for another tag"],
];
const walks = fc
  .tuple(fc.constantFrom(...beginnings), fc.array(name, { maxLength: 6 }), fc.array(name, { maxLength: 3 }))
  .map(([beginning, some, more]) => [...beginning, ...some, ...more]);

describe("a client and a tag on any walk together", () => {
  it.each(["2.1", "2.0"] as const)(
    "(v%s) authorize by a checked token only, change the display by COMMITTED only, and have one session",
    { timeout: 3_600_000 },
    async (generation) => {
      const property = fc.asyncProperty(walks, fc.nat(), (names, seed) => walk(names, generation, seed));
      await fc.assert(property, { numRuns: Math.ceil(WALKS / 2) });
    },
  );

  it.each(["2.1", "2.0"] as const)(
    "(v%s) survive a proof that outlives the nonce, twice over",
    async (generation) => {
      const walker = await Walker.create(troupe, generation, 1);
      await take(walker, "connect");
      await take(walker, "secure");
      // v2.0's idle timer runs while a chain is presented; v2.1 has only that of the session.
      if (generation === "2.1") await take(walker, "a proof too slow for its nonce");
      await take(walker, "fresh nonce");
      await take(walker, "token to write");
      await take(walker, "label");
      expect(walker.session?.state).toBe("COMMITTED");
    },
  );

  it("let no second phone in, and go on undisturbed", async () => {
    const walker = await Walker.create(troupe, "2.1", 1);
    for (const each of ["connect", "secure"]) await take(walker, each);
    await expect(walker.run(() => walker.open(1))).rejects.toMatchObject({ code: "out_of_reach" });
    for (const each of ["token to write", "label"]) await take(walker, each);
    expect(walker.session?.state).toBe("COMMITTED");
  });

  it("wait out a lockout of 30 s, and not less", async () => {
    const walker = await Walker.create(troupe, "2.1", 1);
    for (const each of ["connect", "secure", "noise", "noise", "noise"]) await take(walker, each);
    expect(walker.tag.snapshot().state).toBe("LOCKOUT");
    await expect(walker.run(() => connect(walker))).rejects.toMatchObject({ code: "lockout" });
    await walker.time.pass(20_000);
    await expect(walker.run(() => connect(walker))).rejects.toMatchObject({ code: "lockout" });
    await walker.time.pass(10_000);
    await walker.run(() => connect(walker));
    await walker.run(() => secure(walker));
    expect(walker.session?.state).toBe("ESTABLISHED");
  });
});
