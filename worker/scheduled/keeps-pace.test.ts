import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/api/index.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import * as schema from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { scheduledRun, startClean, type TestService } from "../test-support/service.ts";

/**
 * Scheduled runs against the rate that docs/operations.md promises, 40 transfers a second, in virtual time: what ends
 * between two runs is put into the database, and the Worker's own `scheduled()` runs as the trigger would have it. A
 * daily run simulates five minutes, a full one two hours.
 */

const RUNS = dailyOrFull(1, 24);
const PER_SECOND = 40;
const BETWEEN_RUNS = 300;
/** That ask for nonces as fast as they may; in full half of what the database could take at all. */
const NETWORKS = dailyOrFull(20, 300);
/** What other callers leave to be swept in the same run. A run that ended by the clock would test this machine, not the service. */
const VARS = { SWEEP_PART_SECONDS: "600" };
const db = connect(env.DB);
const START = Date.now();

interface Behind {
  readonly erasureSeconds: number;
  readonly sealSeconds: number;
  readonly late: readonly string[];
}

let service: TestService;
beforeEach(async () => {
  service = await startClean();
});

/** Numbers from 1 to `count`, as a source of rows. */
const numbers = (count: number) =>
  `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`;

const execute = (...statements: readonly string[]) =>
  env.DB.batch(statements.map((text) => env.DB.prepare(text)));

const DAY_OF_BAGS = "2026-01-01";
const PLAN = "travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)";
const HELD_DEVICES = "devices (id, label, registered_at, ended_plan_id, ended_holder_sub)";

/** Bookings of one passenger each that end evenly over the seconds after `from`; each was loaded, and its tag held. */
function bookingsEnd(from: number, seconds: number): Promise<unknown> {
  const source = numbers(PER_SECOND * seconds);
  const id = `'b${from}-' || i`;
  const ends = `${from} + i * 1000 / ${PER_SECOND}`;
  return execute(
    `insert into ${PLAN} select ${id}, 'SK', ${id}, 'sealed', '2026-01-01', ${ends} from ${source}`,
    `insert into journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport,
      destination_airport) select ${id}, ${id}, 'sealed', 'tokens', 'L', 'OSL', 'ARN' from ${source}`,
    `insert into bags (journey_id, licence_plate, flight_date) select ${id},
      printf('%010d', (${from} / 1000 * ${PER_SECOND} + i) % 10000000000), '${DAY_OF_BAGS}' from ${source}`,
    `insert into loaded_plans (sub, plan_id, loaded_at) select 's' || i, ${id}, 0 from ${source}`,
    `insert into ${HELD_DEVICES} select ${id}, 't', 0, ${id}, 's' from ${source}`,
    ...["attached", "cleared", "bag_added"].map(
      (event) => `insert into audit_log (at, event, request_id, airline, device_id)
        select ${ends}, '${event}', 'r', 'SK', 'd' from ${source}`,
    ),
  );
}

/** What a caller may leave behind by failed logins from `networks` addresses between two runs; all of it is over. */
function floodEnds(at: number, networks: number): Promise<unknown> {
  const count = (networks * limits.loginsPerNetworkPerMinute * BETWEEN_RUNS) / 60;
  return execute(`insert into used_once (hash, ends_at) select 'n${at}-' || i, ${at} from ${numbers(count)}`);
}

const left = (where: string) =>
  db.$count(schema.travelPlans, sql`${sql.raw(where)} and id not like 'demo-%' and erased_at is null`);

describe("at 40 transfers a second", () => {
  it("every run erases what has ended and seals what was written, whatever anonymous callers left", async () => {
    for (let run = 1; run <= RUNS; run++) {
      const now = START + run * BETWEEN_RUNS * 1_000;
      await bookingsEnd(now - BETWEEN_RUNS * 1_000, BETWEEN_RUNS);
      await floodEnds(now, NETWORKS);
      const line = await scheduledRun(now, VARS);
      const behind = line.behind as Behind;
      // Nothing that had ended is left, so nothing is ever later than the time between two runs.
      expect([behind.erasureSeconds, behind.late, await left(`ends_at <= ${now}`)]).toEqual([0, [], 0]);
      expect(behind.sealSeconds).toBe(0);
      expect(await db.$count(schema.travelPlans, sql`id like 'b%'`)).toBe(0);
      expect(await db.$count(schema.pastBags, sql`flight_day = unixepoch(${DAY_OF_BAGS}) / 86400`)).toBe(
        run * BETWEEN_RUNS * PER_SECOND,
      );
      // D1 ends a run at its thousandth statement.
      expect(Number(line.statements)).toBeLessThan(1_000);
    }
    expect(await db.$count(schema.loadedPlans, sql`plan_id like 'b%'`)).toBe(0);
    expect(await db.$count(schema.devices, sql`ended_plan_id like 'b%'`)).toBe(0);
  });
});

it("has budgets that D1's thousand statements are enough for", () => {
  const { erasureStatementsPerRun, sweepStatementsPerRun, auditSealsPerRun, auditArchivesPerRun } = limits;
  // The newest seal, then rows and seal; the oldest seals, then rows, tags, log and seals; how late it is.
  const audit = 1 + 2 * auditSealsPerRun + 1 + (1 + 4 * auditArchivesPerRun) + 1;
  expect(erasureStatementsPerRun + sweepStatementsPerRun + audit).toBeLessThan(1_000);
});

describe("an attacker who knows one locator", () => {
  /** Rows that hang on one booking: a login each, and the right locator and surname. */
  const LOADED = 4_000;

  it("cannot make another booking's erasure late, however often they load theirs", async () => {
    await execute(
      `insert into ${PLAN} values ('theirs', 'SK', 'theirs', 'sealed', '2026-01-01', ${START - 10_000})`,
      `insert into loaded_plans (sub, plan_id, loaded_at) select 's' || i, 'theirs', 0 from ${numbers(LOADED)}`,
      `insert into ${HELD_DEVICES} select 'theirs ' || i, 't', 0, 'theirs', 's' from ${numbers(LOADED)}`,
    );
    await bookingsEnd(START - 5_000, 5);
    const small = { ...VARS, BOOKINGS_PER_ERASURE: "100", ERASURE_STATEMENTS_PER_RUN: "20" };
    const { swept, unfinished } = await scheduledRun(START, small);
    expect(swept).toMatchObject({ personalData: 201 });
    expect(unfinished).toContain("personalLinks");
    expect(await left("true")).toBe(1);
    expect(await db.$count(schema.travelPlans, sql`locator_sealed = 'sealed'`)).toBe(0);
    // Theirs goes as well, with every row.
    const rest = { ...VARS, ERASURE_STATEMENTS_PER_RUN: "900", BOOKINGS_PER_ERASURE: "4" };
    await scheduledRun(START, rest);
    expect(await left("true")).toBe(0);
    expect(await db.$count(schema.loadedPlans, sql`plan_id = 'theirs'`)).toBe(0);
    expect(await db.$count(schema.devices, sql`ended_plan_id = 'theirs'`)).toBe(0);
  });
});

describe("a service whose runs do not keep pace", () => {
  it("is reported at /healthz and in the log line, until it has caught up", async () => {
    const { erasureLateSeconds, sealLateSeconds } = limits;
    const health = async () => (await service.fetch("/healthz")).body;
    const nothing = { ...VARS, ERASURE_STATEMENTS_PER_RUN: "0", AUDIT_SEALS_PER_RUN: "0" };
    const begin = service.now();
    await bookingsEnd(begin - 1_000, 1);
    expect(await health()).toEqual({ status: "ok" });
    service.advance(erasureLateSeconds + 1);
    expect(await health()).toEqual({ status: "late", late: ["erasure"] });
    service.advance(sealLateSeconds);
    expect(await health()).toEqual({ status: "late", late: ["erasure", "seals"] });
    expect(await scheduledRun(service.now(), nothing)).toMatchObject({
      behind: { erasureSeconds: erasureLateSeconds + sealLateSeconds + 1, late: ["erasure", "seals"] },
      unfinished: expect.arrayContaining(["personalData"]),
    });
    expect(await scheduledRun(service.now(), VARS)).toMatchObject({
      behind: { erasureSeconds: 0, late: [] },
    });
    expect(await health()).toEqual({ status: "ok" });
  });

  it("stops a part when its time is over, and personal data was first", async () => {
    await bookingsEnd(START - 1_000, 1);
    await floodEnds(START, 1);
    const { swept, unfinished } = await scheduledRun(START, { SWEEP_PART_SECONDS: "0" });
    expect(swept).toEqual({});
    expect(unfinished).toEqual(expect.arrayContaining(["personalData", "usedOnce"]));
    expect((unfinished as string[])[0]).toBe("personalData");
  });
});
