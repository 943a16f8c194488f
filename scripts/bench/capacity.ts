/**
 * What one bag's journey leaves in the database (a v2.1 tag written and cleared by the SDK), what it costs, and how many
 * bags a year one database carries. Rows and bytes are counted in the real database; the constants are assumed.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../../core/api/index.ts";
import { type SeedFlight, seedJourneys } from "../../db/demo/values.ts";
import { feed } from "../drivers/caller.ts";
import { ADA } from "../drivers/passenger.ts";
import { atMost, type Goal, printTable, sum } from "./harness.ts";
import { type Booking, endSessions, travel } from "./passenger.ts";
import { type Line, type Side, toAll, withSides } from "./sides.ts";
import { type Change, keysOf, type Row, steadyState, type Traffic } from "./steady-state.ts";

const MOST_ROWS_WRITTEN = 45;
const BAGS_A_YEAR = 200;
const DAY = 86_400;
/** US dollars per million beyond what the paid plan includes (developers.cloudflare.com, Workers and D1 pricing). */
const PRICES = { request: 0.3, cpuMillisecond: 0.02, rowRead: 0.001, rowWritten: 1 } as const;
/** In ms: signatures and proofs take well under one (docs/operations.md). */
const CPU_PER_REQUEST = 5;
/** Of D1 (developers.cloudflare.com): the size of a database, and what a call takes of its one thread. */
const D1 = { bytes: 10e9, secondsPerCall: 0.002 } as const;
/** The busiest hour of an airline's year over its average hour. */
const PEAK = 4;
/** Tables with less are next to empty. */
const LEAST_SHOWN = 100;
/** Airlines send a booking's bags when check-in opens. */
const FED_AHEAD_DAYS = 2;
const TAG_USES_A_YEAR = 10;
/** Of a bag, for webhooks and seals: added, attached, cleared. */
const EVENTS = 3;
/** A second to fifty listeners: 80 take 29 s of each run's fifty (worker/webhooks/load.test.ts). */
const EVENTS_SENT = (80 * limits.webhookRunSeconds) / 29;
/** Of worker/scheduled/erasure.ts. */
const STATEMENTS_PER_ERASURE = 6;
/** Of wrangler.toml's first trigger, in seconds. */
const BETWEEN_RUNS = 300;

const liveDays = FED_AHEAD_DAYS + limits.lockAfterArrivalSeconds / DAY;
const tagDays = 365 / TAG_USES_A_YEAR;
/** By whole days. */
const restDays = limits.journeyRetentionSeconds / DAY + 0.5;
/** How many days a row stays; one that is not named here goes with its booking, after {@link liveDays}. */
const KEPT: Readonly<Record<string, number>> = {
  devices: tagDays,
  device_aliases: tagDays,
  sessions: (limits.refreshTokenSeconds + limits.accessTokenSeconds) / DAY,
  certificates: limits.certificateSeconds / DAY,
  // By whole days.
  idempotency_records: limits.idempotencySeconds / DAY + 0.5,
  used_once: (2 * limits.dpopProofSeconds) / DAY,
  guess_counters: 3_600 / DAY,
  audit_log: limits.auditKeepSeconds / DAY,
  past_bags: restDays,
};

export async function benchCapacity(): Promise<readonly Goal[]> {
  const idle = await sweptAfter(async () => undefined);
  const swept = await sweptAfter((side) => travel(side.server, journeyBy(side)));
  return withSides(["service"], async ([side]) => {
    const { traffic, lines } = await trafficOf(side);
    const rowsWritten = sum(lines.map((line) => line.rowsWritten)) + swept - idle;
    const dollars =
      lines.length * (PRICES.request + CPU_PER_REQUEST * PRICES.cpuMillisecond) +
      sum(lines.map(({ rowsRead }) => rowsRead)) * PRICES.rowRead +
      rowsWritten * PRICES.rowWritten;
    console.log(`A million journeys: ${dollars.toFixed(1)} US dollars at list prices`);
    return [
      atMost("rows written by a journey, with what is swept", rowsWritten, MOST_ROWS_WRITTEN),
      ...bagsAYear(traffic, sum(lines.map(({ calls }) => calls))),
    ];
  });
}

const journeyBy = (side: Side) =>
  ({ generation: "2.1", send: toAll([side]), between: () => endSessions(side.server) }) as const;

/** Rows written by the scheduled runs that remove what has ended; bookings and unused tags stay. */
const sweptAfter = (use: (side: Side) => Promise<void>): Promise<number> =>
  withSides(["service"], async ([side]) => {
    const { server, lines } = side;
    await use(side);
    lines.length = 0;
    do await server.schedule(Date.now() + 35 * DAY * 1_000);
    while (lines.at(-1)?.unfinished?.length !== 0);
    return sum(lines.map(({ rowsWritten }) => rowsWritten));
  });

/** What a fed booking and a journey leave, and what the service logged of the journey. */
async function trafficOf(
  side: Side,
): Promise<{ readonly traffic: Traffic; readonly lines: readonly Line[] }> {
  const { server, lines } = side;
  const database = databaseIn(side.stateDir);
  // Ids of the development data are shorter than those that a feed makes.
  await server.database.prepare("delete from travel_plans").run();
  await endSessions(server);
  const empty = rowsIn(database);
  const { booking, bags } = await feedBookings(server.url);
  await endSessions(server);
  const fed = rowsIn(database);
  const travelled = new Map<string, TableRow>();
  const addRows = () => {
    for (const [key, row] of rowsIn(database)) if (!fed.has(key)) travelled.set(key, row);
  };
  const between = async () => {
    addRows();
    await endSessions(server);
  };
  lines.length = 0;
  await travel(server, { ...journeyBy(side), booking, between });
  addRows();
  const logged = [...lines];
  await server.schedule(Date.now() + 6 * DAY * 1_000);
  const after = rowsIn(database);
  const resting = [...after.values()]
    .filter(({ table }) => table === "past_bags")
    .flatMap((one) => [
      { ...one, day: liveDays },
      { ...one, day: liveDays + restDays, isEnd: true },
    ]);
  const ofFeed = new Map([...fed].filter(([key]) => !empty.has(key)));
  const traffic = {
    schema: madeIn(database).map(({ sql }) => String(sql)),
    bags,
    fed: [...changesOf(ofFeed, after), ...resting],
    travelled: changesOf(travelled, after),
  };
  return { traffic, lines: logged };
}

/** What becomes of `rows`: what is left of one once the booking has ended, and when it ends. */
const changesOf = (rows: Rows, after: Rows): Change[] =>
  [...rows].flatMap(([key, { table, row }]) => {
    const left = after.get(key)?.row;
    const isErased = left !== undefined && JSON.stringify(left) !== JSON.stringify(row);
    return [
      { table, row, day: 0 },
      ...(isErased ? [{ table, row: left, day: liveDays }] : []),
      { table, row, day: KEPT[table] ?? liveDays, isEnd: true },
    ];
  });

/** The development data's bookings of SK, fed by the airline: Ada's, and the bags of all. */
async function feedBookings(url: string): Promise<{ readonly booking: Booking; readonly bags: number }> {
  const own = seedJourneys(Date.now()).filter(({ airline }) => airline === "SK");
  const bookings = own.map(({ recordLocator, flights, surname, givenName, destinationCity, bags }) => {
    const baggage = bags.map(({ id: _, ...bag }) => bag);
    const passengers = [{ surname, givenName, destinationCity, baggage }];
    return { recordLocator, flights: flights.map(fedFlight), passengers };
  });
  const fed = (await feed(url, bookings)).flatMap(({ baggage }) => baggage);
  return { booking: { ...ADA, baggageId: fed[0]?.baggageId ?? Number.NaN }, bags: fed.length };
}

function fedFlight({ departure, arrival, ...flight }: SeedFlight) {
  const scheduledDeparture = new Date(departure).toISOString();
  const scheduledArrival = new Date(arrival).toISOString();
  return { ...flight, date: scheduledDeparture.slice(0, 10), scheduledDeparture, scheduledArrival };
}

interface TableRow {
  readonly table: string;
  readonly row: Row;
}

/** By table and key. */
type Rows = ReadonlyMap<string, TableRow>;

/** Wrangler's local D1. */
function databaseIn(stateDir: string): DatabaseSync {
  const files = globSync(join(stateDir, "v3", "d1", "*", "*.sqlite"));
  const file = files.find((path) => !path.endsWith("metadata.sqlite")) ?? "";
  return new DatabaseSync(file, { readOnly: true });
}

/** Tables and indexes, without D1's own. */
const madeIn = (database: DatabaseSync) =>
  database
    .prepare(`select type, name, sql from sqlite_master where sql is not null and tbl_name not glob 'sqlite_*'
      and tbl_name not glob 'd1_*' and tbl_name not glob '_cf_*' order by type desc`)
    .all();

const rowsIn = (database: DatabaseSync): Rows => {
  const tables = madeIn(database).flatMap(({ type, name }) => (type === "table" ? [String(name)] : []));
  const rows = tables.flatMap((table) => {
    const keys = keysOf(database, table);
    const keyOf = (row: Row) => JSON.stringify([table, ...keys.map((key) => row[key])]);
    const all = database.prepare(`select * from ${table}`).all();
    return all.map((row) => [keyOf(row), { table, row }] as const);
  });
  return new Map(rows);
};

/** Million bags a year where the busiest hour has `perSecond`. */
const atPeak = (perSecond: number) => (perSecond * 365 * DAY) / PEAK / 1e6;

/** Prints what a bag takes of each table: its bytes, times the days that it takes them. */
function bagsAYear(traffic: Traffic, calls: number): readonly Goal[] {
  const sizes = [...steadyState(traffic)].toSorted(([, a], [, b]) => b - a);
  printTable(
    "What one bag takes of the database",
    sizes
      .filter(([, byteDays]) => byteDays >= LEAST_SHOWN)
      .map(([table, byteDays]) => ({
        table,
        "bytes × days": byteDays.toFixed(0),
        days: (KEPT[table] ?? liveDays).toFixed(1),
      })),
  );
  const byteDays = sum(sizes.map(([, each]) => each));
  const ofLog = sizes.find(([table]) => table === "audit_log")?.[1] ?? Number.NaN;
  const briefly = byteDays - ofLog + (ofLog * DAY) / limits.auditKeepSeconds;
  const ofStorage = (days: number) => (D1.bytes * 365) / days / 1e6;
  const { secondsPerCall } = D1;
  const { auditSealsPerRun, auditRowsPerSeal, bookingsPerErasure, erasureStatementsPerRun } = limits;
  const erasures = Math.floor(erasureStatementsPerRun / STATEMENTS_PER_ERASURE);
  const stops = {
    [`storage, ${(byteDays / 365).toFixed(0)} bytes at any time for each`]: ofStorage(byteDays),
    "storage, the audit log kept one day": ofStorage(briefly),
    [`${calls} calls of ${secondsPerCall * 1_000} ms a journey`]: atPeak(1 / (calls * secondsPerCall)),
    [`webhooks, ${EVENTS} events a bag`]: atPeak(EVENTS_SENT / EVENTS),
    [`seals, ${EVENTS} rows a bag`]: atPeak((auditSealsPerRun * auditRowsPerSeal) / EVENTS / BETWEEN_RUNS),
    "erasure, a booking a bag": atPeak((erasures * bookingsPerErasure) / BETWEEN_RUNS),
  };
  return Object.entries(stops).map(([what, bags]) => ({
    what: `million bags a year by ${what}`,
    goal: `≥ ${BAGS_A_YEAR}`,
    figure: bags.toFixed(0),
    met: bags >= BAGS_A_YEAR,
  }));
}
