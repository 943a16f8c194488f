import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { guestSession } from "../test-support/logins.ts";
import { barePost, startClean } from "../test-support/service.ts";

/**
 * Whether the time of a refused custody proof discloses the reason (rules §1, §5): `npm run bench -- custody`
 * and `npm run nightly`, never `npm test`. The service runs in workerd with its D1 as it always does; what it does per
 * refusal is counted, not timed, in custody-proof-work.test.ts.
 */

/**
 * Measures microseconds with a clock of milliseconds, the only one in workerd. It reads the clock in a loop until the next
 * tick. The number of readings shows how long before the tick it was called.
 */
interface FineClock {
  /** Waits for the next tick; milliseconds. */
  tick(): number;
  /** When it was asked, milliseconds with a fraction; returns at a tick. */
  now(): number;
}

/** How often the clock was read until it ticked, and what it then said. */
function untilTick(): { readonly reads: number; readonly tick: number } {
  const before = performance.now();
  for (let reads = 1; ; reads++) {
    const tick = performance.now();
    if (tick !== before) return { reads, tick };
  }
}

/** A clock for this machine as it is now; throws where there is nothing to refine. */
function fineClock(rounds = 200): FineClock {
  untilTick();
  const counts = Array.from({ length: rounds }, () => untilTick().reads).sort((a, b) => a - b);
  const reads = counts[Math.floor(rounds * 0.75)] ?? 0;
  if (reads < 50) throw new RangeError("the clock ticks as often as it is read, or not at all");
  return {
    tick: () => untilTick().tick,
    now: () => {
      const { reads: waited, tick } = untilTick();
      return tick - Math.min(1, waited / reads);
    },
  };
}

/** Slower measurements than these percentiles of both kinds together are left out, one test for each. */
const CROPS = [0.5, 0.75, 0.9, 0.95, 0.99, 1] as const;

/** Whether two kinds of work take the same time, as dudect asks (Reparaz 2017): Welch's t farthest from 0 over all crops. */
function worstWelch(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b].sort((x, y) => x - y);
  const figures = CROPS.map((percentile) => {
    const limit = all[Math.ceil(all.length * percentile) - 1] ?? Number.POSITIVE_INFINITY;
    const [one, two] = [a, b].map((times) => moments(times.filter((time) => time <= limit)));
    return one && two ? (one.mean - two.mean) / Math.sqrt(one.error + two.error) : 0;
  });
  return figures.reduce((worst, t) => (Math.abs(t) > Math.abs(worst) ? t : worst), 0);
}

const mean = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;

/** Their mean, and the square of its standard error. */
function moments(times: readonly number[]) {
  const average = mean(times);
  const squares = times.reduce((sum, time) => sum + (time - average) ** 2, 0);
  return { mean: average, error: squares / (times.length - 1) / times.length };
}

/** Per kind of refusal. */
const TIMINGS = Number(import.meta.env.VITE_TIMINGS ?? 1_000);
/** Above this dudect calls two distributions different. */
const DIFFERENT = 4.5;
const LOCKED = "ebt-21-0001";

const KINDS = {
  "wrong locator": { uniqueDeviceId: LOCKED, recordLocator: "K7Q2ZE", surname: "LOVELACE" },
  "wrong surname": { uniqueDeviceId: LOCKED, recordLocator: "ABC123", surname: "LOVELARD" },
  "unknown tag": { uniqueDeviceId: "ebt-21-9999", recordLocator: "ABC123", surname: "LOVELACE" },
} as const;
type Kind = keyof typeof KINDS;
const names = Object.keys(KINDS) as Kind[];
type Times = Record<Kind, number[]>;

/** The service, and one refused proof of each kind; nothing about it but the refusal. */
async function startRefusing(db?: D1Database) {
  const endless = { GUESSES_PER_DEVICE_UNVOUCHED: "1e15", GUESSES_PER_LOCATOR_UNVOUCHED: "1e15" };
  const service = await startClean(endless);
  const guest = await guestSession(service);
  await guest.call("deviceAttachment", { device: { uniqueID: LOCKED }, baggageId: 1 });
  const { clientKey, accessToken } = await guestSession(service);
  const headers = { [HEADER.clientKey]: clientKey, Authorization: `Bearer ${accessToken}` };
  const post = barePost(service, db);
  return async (kind: Kind) => {
    const answer = await post(endpoints.ebtCustodyProof.path, KINDS[kind], headers);
    const { errorCode } = await answer.json<{ readonly errorCode?: string }>();
    if (errorCode !== "custody_proof_invalid") throw new Error(`${kind}: ${errorCode}`);
  };
}

/** Every kind `count` times, in a random order. */
async function measure(refuse: (kind: Kind) => Promise<unknown>, count: number): Promise<Times> {
  for (const kind of names.flatMap((name) => Array<Kind>(50).fill(name))) await refuse(kind);
  // A request writes its line after its answer, in a turn of its own.
  const lineWritten = () => new Promise<void>((resolve) => void setTimeout(resolve));
  const clock = fineClock();
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Times;
  for (const kind of shuffled(names.flatMap((name) => Array<Kind>(count).fill(name)))) {
    const started = clock.tick();
    await refuse(kind);
    times[kind].push(clock.now() - started);
    await lineWritten();
  }
  return times;
}

function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}

/** Welch's t of every two kinds, printed. */
function compare(title: string, times: Times): number {
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as const));
  const figures = pairs.map(([a, b]) => [`${a} / ${b}`, worstWelch(times[a], times[b])] as const);
  const means = names.map((name) => `${name} ${mean(times[name]).toFixed(3)} ms`);
  const lines = figures.map(([pair, t]) => `  t = ${t.toFixed(2).padStart(8)}  ${pair}`);
  console.log(
    [`${title}, ${times["unknown tag"].length} timings each: ${means.join(", ")}`, ...lines].join("\n"),
  );
  return Math.max(...figures.map(([, t]) => Math.abs(t)));
}

it("the time of a refusal does not disclose its reason", async () => {
  const refuse = await startRefusing();
  expect(compare("as it is", await measure(refuse, TIMINGS))).toBeLessThan(DIFFERENT);
}, 3_600_000);

it("a service that returned early for an unknown tag would be caught", async () => {
  let batches = 0;
  let isUnknown = false;
  // The batch that authenticates finds no lock: from then on nothing is read, stored or hashed.
  const isOver = () => isUnknown && batches >= 1;
  const refused = { success: true, meta: {}, results: [{ outcome: "custody_proof_invalid", facts: "{}" }] };
  const hasty: D1Database = {
    prepare: (query: string) => env.DB.prepare(query),
    batch: async (statements: D1PreparedStatement[]) => {
      if (isOver()) return statements.map(() => refused);
      const rows = await env.DB.batch(statements);
      batches += 1;
      return rows;
    },
    withSession: () => hasty,
    getBookmark: () => null,
  } as unknown as D1Database;
  const { sign } = crypto.subtle;
  const nothing = new ArrayBuffer(32);
  const hash = vi
    .spyOn(crypto.subtle, "sign")
    .mockImplementation(async (...input) => (isOver() ? nothing : sign.apply(crypto.subtle, input)));
  const refuse = await startRefusing(hasty);
  const leaking = (kind: Kind) => {
    batches = 0;
    isUnknown = kind === "unknown tag";
    return refuse(kind);
  };
  const worst = compare("returning early", await measure(leaking, Math.min(TIMINGS, 2_000)));
  hash.mockRestore();
  expect(worst).toBeGreaterThan(2 * DIFFERENT);
}, 3_600_000);
