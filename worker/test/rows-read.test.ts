import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { endpoints, limits } from "../../core/api/index.ts";
import { auditSeals, webhooks } from "../../db/schema.ts";
import { archiveDue, bucketStore } from "../audit/seals/archive.ts";
import { sealAudit } from "../audit/seals/sealing.ts";
import { readSettings } from "../config/env.ts";
import { inBatch } from "../database/batch.ts";
import { openDatabase } from "../database/connect.ts";
import { readLateness } from "../lateness.ts";
import type { RunContext } from "../run-context.ts";
import { erasureTasks } from "../scheduled/erasure.ts";
import { sweepTasks } from "../scheduled/sweep-tasks.ts";
import { exampleSender, examples } from "../test-support/example-requests.ts";
import { foreignRows } from "../test-support/foreign-rows.ts";
import { recorded } from "../test-support/query-plans.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { runWebhooks } from "../webhooks/webhooks.ts";

/** What a request or a scheduled task reads must not depend on the rows of other callers and airlines. */

const FOREIGN = 5_000;
const MOST_MORE = 20;
const PAGE_OF_LOG = limits.eventRowsPerPage + MOST_MORE;

/** What reads more rows beside others', how many at most, and why. */
const EXCEPTIONS: Readonly<Record<string, readonly [most: number, why: string]>> = {
  events: [PAGE_OF_LOG, "a page of the log, past other airlines' rows"],
  "events, all": [PAGE_OF_LOG, "the same, with the tags of the airline's own events"],
  "auditEvents, all": [PAGE_OF_LOG, "a page of the airline's own rows"],
  "tracedBags, all": [PAGE_OF_LOG, "a page of the airline's own lost bags"],
  webhooks: [2 * FOREIGN, "what is new in the log, once for all listeners"],
};

/** Requests beside the examples: lists in full. */
const LISTS = ["tracedBags", "auditEvents", "events"] as const;

type Rows = Readonly<Record<string, number>>;

/** Every endpoint's example once, and the rows that it read. */
async function readByEndpoints(service: TestService): Promise<Rows> {
  const send = await exampleSender(service);
  const rows: Record<string, number> = {};
  for (const [name] of examples) {
    const answer = await send(name);
    expect([name, answer.status]).toEqual([name, 200]);
    rows[name] = Number(service.log.at(-1)?.rowsRead);
  }
  for (const name of LISTS) {
    expect((await send(name, {})).status).toBe(200);
    rows[`${name}, all`] = Number(service.log.at(-1)?.rowsRead);
  }
  return rows;
}

const newRun = async (now: number) => ({
  ...openDatabase(recorded(env.DB), "first-primary"),
  ...{ settings: await readSettings({ ...env }), now, requestId: "r", elapsed: () => 0 },
});

/** Every scheduled task once. */
async function readByTasks({ now }: TestService): Promise<Rows> {
  const rows: Record<string, number> = {};
  const measured = async (name: string, work: (ctx: RunContext) => Promise<unknown>) => {
    const { calls, ...ctx } = await newRun(now());
    await work(ctx);
    rows[name] = calls.rowsRead;
  };
  const run = await newRun(now());
  const names = [...erasureTasks(run), ...sweepTasks(run)].map(({ name }) => name);
  for (const name of names) {
    await measured(name, (own) => {
      const task = [...erasureTasks(own), ...sweepTasks(own)].find((one) => one.name === name);
      return inBatch(own.db, { task: task?.statements });
    });
  }
  await measured("seals", sealAudit);
  await measured("archive", (own) => archiveDue(own, bucketStore(env.ARCHIVE as R2Bucket)));
  await measured("lateness", (own) => readLateness(own.db, own.now, own.settings));
  await measured("webhooks", (own) => runWebhooks({ ...own, fetcher: fetch }));
  return rows;
}

let alone: Rows;
let beside: Rows;
beforeAll(async () => {
  // Once without counting: what the first run of all makes is there for the others.
  await readByEndpoints(await startClean());
  alone = await readByAll(await startClean());
  const service = await startClean();
  const foreign = (["LH", "SK"] as const).flatMap((airline) => foreignRows(airline, FOREIGN, service.now()));
  await env.DB.batch(foreign.map((text) => env.DB.prepare(text)));
  beside = await readByAll(service);
});

const readByAll = async (service: TestService): Promise<Rows> => ({
  ...(await readByEndpoints(service)),
  ...(await sealedAndRead(service)),
});

/** The tasks, after what there was to seal is sealed: the rows of all callers are the work of that task. */
async function sealedAndRead(service: TestService): Promise<Rows> {
  await service.db.batch([service.db.delete(auditSeals), service.db.delete(webhooks)]);
  const listener = { id: "dcs", url: "https://dcs.example.com", airlines: ["SK"], secretSealed: "AAAA" };
  await service.db.insert(webhooks).values({ ...listener, placeId: 0, placeAt: 0, dueAt: 0, createdAt: 0 });
  await sealAudit(await newRun(service.now() + 120_000));
  return readByTasks(service);
}

it("measures every endpoint of the table and every scheduled task", () => {
  expect(Object.keys(alone)).toEqual(expect.arrayContaining([...Object.keys(endpoints), "locks", "seals"]));
  expect(Object.keys(beside)).toEqual(Object.keys(alone));
});

describe(`beside ${FOREIGN} foreign bookings, locks, tags, events and reports of each of two airlines`, () => {
  const more = () =>
    Object.keys(alone).map((name) => [name, (beside[name] ?? 0) - (alone[name] ?? 0)] as const);

  it(`every endpoint and scheduled task reads at most ${MOST_MORE} rows more than without`, () => {
    expect(more().filter(([name, rows]) => rows > (EXCEPTIONS[name]?.[0] ?? MOST_MORE))).toEqual([]);
  });

  it("no exception is listed that none needs", () => {
    const needed = more().flatMap(([name, rows]) => (rows > MOST_MORE ? [name] : []));
    expect(needed.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });
});
