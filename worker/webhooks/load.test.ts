import { env } from "cloudflare:workers";
import { asc, eq, inArray } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { auditLog, webhooks } from "../../db/schema.ts";
import { readSettings } from "../config/env.ts";
import { openDatabase } from "../database/connect.ts";
import { recorded } from "../test-support/query-plans.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { addWebhook } from "../test-support/webhooks.ts";
import { runWebhooks } from "./webhooks.ts";

/**
 * Runs of the webhooks under load, in virtual time: answers take as long as each listener's row says, and the clock moves
 * only while messages are on their way. A daily run
 * simulates one minute, a full one 24.
 */

const MINUTES = dailyOrFull(1, 24);
const PER_SECOND = 80;
const LISTENERS = 50;
const MINUTE = 60_000;
/** What D1 and the platform allow in one run. */
const MOST_STATEMENTS = 1_000;
const MOST_REQUESTS = 10_000;

let service: TestService;
beforeEach(async () => {
  service = await startClean();
});

interface Answering {
  readonly milliseconds: number;
  readonly isDead?: true;
}
const FAST: Answering = { milliseconds: 60 };
/** As long as a message may take, nearly. */
const SLOW: Answering = { milliseconds: 9_000 };
const DEAD: Answering = { milliseconds: 10_000, isDead: true };

const add = (id: string, row: Partial<typeof webhooks.$inferInsert> = {}) =>
  addWebhook(service, id, { scopes: ["baggage:message"], ...row });
const names = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind}${i}`);

let happened = 0;
/** Events whose plates count on. */
async function happen(count: number): Promise<void> {
  const numbers = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`;
  // Of bags of the development data, in turn: what their messages are made of is read as well.
  await env.DB.prepare(`insert into audit_log (at, event, request_id, airline, device_id, licence_plate, baggage_id)
    select ${service.now()}, 'attached', 'r', 'SK', 'd', ${happened} + i, i % 4 + 1 from ${numbers}`).run();
  happened += count;
}
beforeEach(() => {
  happened = 0;
});

/** The clock of one run: moves to the next answer once every lane waits, or nothing else happens for a moment. */
function virtualClock(lanes: number) {
  let now = 0;
  let isOver = false;
  const waiting: { readonly at: number; readonly wake: () => void }[] = [];
  const advance = () => {
    waiting.sort((one, other) => one.at - other.at);
    const next = waiting.shift();
    now = Math.max(now, next?.at ?? now);
    next?.wake();
  };
  const wait = (milliseconds: number) =>
    new Promise<void>((wake) => {
      waiting.push({ at: now + milliseconds, wake });
      if (waiting.length >= lanes) advance();
    });
  const whenIdle = async () => {
    for (let still = 0, before = 0; !isOver; before = waiting.length) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      still = waiting.length === before ? still + 1 : 0;
      if (still >= 5) advance();
    }
  };
  const running = whenIdle();
  const stop = async () => {
    isOver = true;
    await running;
  };
  return { elapsed: () => now, wait, stop };
}

const received = new Map<string, number[]>();
beforeEach(() => received.clear());

/** One run at `now`; what it did, and what that cost. */
async function run(now: number, answering: (id: string) => Answering = () => FAST, vars: object = {}) {
  const settings = await readSettings({ ...env, ...vars });
  const { db, calls } = openDatabase(recorded(env.DB), "first-primary");
  const { elapsed, wait, stop } = virtualClock(settings.limits.webhooksAtOnce);
  let requests = 0;
  let atOnce = 0;
  const fetcher = async (to: RequestInfo | URL, init: RequestInit = {}) => {
    requests++;
    expect(++atOnce).toBeLessThanOrEqual(5);
    const id = new URL(String(to)).hostname.split(".")[0] ?? "";
    const { milliseconds, isDead } = answering(id);
    await wait(milliseconds);
    atOnce--;
    if (isDead) throw new DOMException("late", "TimeoutError");
    const { data } = JSON.parse(String(init.body));
    const plates = data.events.map(({ licencePlate }: { licencePlate: string }) => Number(licencePlate));
    received.set(id, [...(received.get(id) ?? []), ...plates]);
    return new Response(null, { status: 204 });
  };
  const ctx = { db, settings, now, requestId: "r", elapsed, fetcher: fetcher as typeof fetch };
  const delivered = await runWebhooks(ctx);
  await stop();
  expect(calls.statements).toBeLessThan(MOST_STATEMENTS);
  expect(requests + calls.count).toBeLessThan(MOST_REQUESTS);
  expect(elapsed()).toBeLessThanOrEqual(MINUTE);
  return { ...delivered, ...calls, requests, elapsed: elapsed() };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
/** Compared as text: a list of thousands takes long to be compared. */
const expectAll = (id: string) => expect(String(received.get(id))).toBe(String(upTo(happened)));

it(`sends ${PER_SECOND} events a second to ${LISTENERS} listeners, each in order, and reads at most 5 rows an event`, async () => {
  const ids = names("fast", LISTENERS);
  for (const id of ids) await add(id);
  for (let minute = 1; minute <= MINUTES; minute++) {
    await happen(PER_SECOND * 60);
    const line = await run(service.now() + minute * MINUTE);
    expect(line).toMatchObject({ events: LISTENERS * PER_SECOND * 60, failed: 0 });
    expect(line.rowsRead / line.events).toBeLessThanOrEqual(5);
  }
  for (const id of ids) expectAll(id);
});

it("keeps up with listeners that answer, whichever others are slow or dead", async () => {
  const fast = names("fast", 20);
  const others = [...names("slow", 10), ...names("dead", 20)];
  // Those that hang are due first.
  for (const id of others) await add(id);
  for (const id of fast) await add(id, { dueAt: 1 });
  const answering = (id: string) => (id.startsWith("slow") ? SLOW : id.startsWith("dead") ? DEAD : FAST);
  for (let minute = 1; minute <= 4; minute++) {
    await happen(600);
    await run(service.now() + minute * MINUTE, answering);
  }
  for (const id of fast) expectAll(id);
  // In order, and none twice, also where a turn ends early.
  for (const id of names("slow", 10)) expect(received.get(id)).toEqual(upTo(received.get(id)?.length ?? 0));
});

it("reads windows apart for one that is far behind, and delays no other for it", async () => {
  const near = names("near", 10);
  await happen(60_000);
  const [last] = await service.db.select().from(auditLog).where(eq(auditLog.licencePlate, "60000"));
  if (last === undefined) throw new Error("no event");
  await add("far");
  for (const id of near) await add(id, { placeId: last.id, placeAt: last.at });
  await happen(600);
  const line = await run(service.now() + MINUTE, (id) => (id === "far" ? { milliseconds: 500 } : FAST));
  for (const id of near) expect(received.get(id)).toEqual(upTo(happened).slice(60_000));
  // As much as its turn sent, and not the whole log.
  expect(line.rowsRead).toBeLessThan(20_000);
  expect(received.get("far")).toEqual(upTo(received.get("far")?.length ?? 0));
  const rows = await service.db.select().from(webhooks).orderBy(asc(webhooks.id));
  for (const { dueAt } of rows) expect(dueAt).toBeLessThanOrEqual(service.now() + 2 * MINUTE);
});

it("loses nothing where ids are missing and listeners begin at different places of a window", async () => {
  await happen(40);
  const gone = [...upTo(9).slice(3), ...upTo(33).slice(20)].map(String);
  await service.db.delete(auditLog).where(inArray(auditLog.licencePlate, gone));
  const left = (await service.db.select().from(auditLog).orderBy(asc(auditLog.id))).map((row) => ({
    ...{ placeId: row.id, placeAt: row.at, plate: Number(row.licencePlate) },
  }));
  for (const [i, { placeId, placeAt }] of left.entries()) await add(`at${i}`, { placeId, placeAt });
  await run(service.now() + MINUTE, () => FAST, {
    EVENT_ROWS_PER_PAGE: "5",
    WEBHOOK_EVENTS_PER_MESSAGE: "2",
  });
  for (const [i, { plate }] of left.entries()) {
    const behind = left.map((row) => row.plate).filter((one) => one > plate);
    expect([i, received.get(`at${i}`) ?? []]).toEqual([i, behind]);
  }
});
