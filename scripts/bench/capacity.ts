/**
 * What one bag's journey leaves in the database (a v2.1 tag written and cleared by the SDK), what it costs, and how many
 * bags a year one database carries. Rows and bytes are counted in the real database; the constants are assumed.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { endpoints, HEADER, type Journey, limits } from "../../core/api/index.ts";
import { B2B, seedJourneys } from "../../db/demo/values.ts";
import { post } from "../drivers/caller.ts";
import { atMost, type Goal, printTable, sum } from "./harness.ts";
import { type Booking, endSessions, travel } from "./passenger.ts";
import { type Line, type Side, toAll, withSides } from "./sides.ts";

const MOST_BYTES = 1_100;
const MOST_ROWS_WRITTEN = 43;
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
/** What a B-tree whose keys come in no order fills of its pages. */
const FILL = 0.75;
/** Of a cell beside its payload: its place in the page, its length, its key. */
const CELL = 6;
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
const erasedDays = limits.journeyRetentionSeconds / DAY;
const auditDays = limits.auditKeepSeconds / DAY;
/** How many days a row stays as it is; of a booking and a tag {@link liveDays}. */
const KEPT: Readonly<Record<string, number>> = {
  device_aliases: tagDays,
  sessions: (limits.refreshTokenSeconds + limits.accessTokenSeconds) / DAY,
  certificates: limits.certificateSeconds / DAY,
  // By whole days.
  idempotency_records: limits.idempotencySeconds / DAY + 0.5,
  used_once: (2 * limits.dpopProofSeconds) / DAY,
  guess_counters: 3_600 / DAY,
  audit_log: auditDays,
  audit_seals: auditDays,
};
/** What an airline feeds; afterwards kept without a name or pseudonym. */
const FED = ["travel_plans", "journeys", "flights", "bags"];

/** What a journey leaves in a table, for how many days, and what is left once its person is erased. */
interface Left {
  readonly name: string;
  readonly bytes: number;
  readonly days: number;
  readonly erased: number;
  readonly erasedDays: number;
}

export async function benchCapacity(): Promise<readonly Goal[]> {
  const idle = await sweptAfter(async () => undefined);
  const swept = await sweptAfter((side) => travel(side.server, journeyBy(side)));
  return withSides(["service"], async ([side]) => {
    const { tables, lines } = await journeyOf(side as Side);
    const rowsWritten = sum(lines.map((line) => line.rowsWritten)) + swept - idle;
    const dollars =
      lines.length * (PRICES.request + CPU_PER_REQUEST * PRICES.cpuMillisecond) +
      sum(lines.map(({ rowsRead }) => rowsRead)) * PRICES.rowRead +
      rowsWritten * PRICES.rowWritten;
    console.log(`A million journeys: ${dollars.toFixed(1)} US dollars at list prices`);
    return [
      atMost("rows written by a journey, with what is swept", rowsWritten, MOST_ROWS_WRITTEN),
      ...reportBytes(tables),
      ...bagsAYear(tables, sum(lines.map(({ calls }) => calls))),
    ];
  });
}

const journeyBy = (side: Side) =>
  ({ generation: "2.1", send: toAll([side]), between: () => endSessions(side.server) }) as const;

/** Rows written by the scheduled runs that remove what has ended; bookings and unused tags stay. */
const sweptAfter = (use: (side: Side) => Promise<void>): Promise<number> =>
  withSides(["service"], async ([side]) => {
    const { server, lines } = side as Side;
    await use(side as Side);
    lines.length = 0;
    do await server.schedule(Date.now() + 35 * DAY * 1_000);
    while (lines.at(-1)?.unfinished?.length !== 0);
    return sum(lines.map(({ rowsWritten }) => rowsWritten));
  });

/** By table, the most of either day; and what the service logged. */
async function journeyOf(side: Side): Promise<{ readonly tables: Left[]; readonly lines: readonly Line[] }> {
  const { server, stateDir, lines } = side;
  // Ids of the development data are shorter than those that a feed makes.
  await server.database.prepare("delete from travel_plans").run();
  await endSessions(server);
  const empty = bytesIn(stateDir);
  const { booking, bags } = await feed(server.url);
  await endSessions(server);
  const before = bytesIn(stateDir);
  const days: Bytes[] = [];
  const between = async () => {
    days.push(bytesIn(stateDir));
    await endSessions(server);
  };
  lines.length = 0;
  await travel(server, { ...journeyBy(side), booking, between });
  days.push(bytesIn(stateDir));
  const logged = [...lines];
  await server.schedule(Date.now() + 6 * DAY * 1_000);
  const after = bytesIn(stateDir);
  const tables = Object.entries(before).flatMap(([name, was]): Left[] => {
    const [most, left] = [Math.max(...days.map((day) => day[name] ?? 0)), after[name] ?? 0];
    const kept = { name, days: KEPT[name] ?? liveDays, erased: 0, erasedDays: 0 };
    const [none, fed] = [empty[name] ?? 0, (was - (empty[name] ?? 0)) / bags];
    if (FED.includes(name)) return [{ ...kept, bytes: fed, erased: (left - none) / bags, erasedDays }];
    if (most === was) return [];
    if (name === "audit_log") return [{ ...kept, bytes: most - was + fed }];
    const tag = name === "devices" ? { erased: left - was, erasedDays: tagDays - liveDays } : {};
    return [{ ...kept, bytes: most - was, ...tag }];
  });
  return { tables, lines: logged };
}

/** The development data's bookings, fed by an airline: the first of them, and their bags. */
async function feed(url: string): Promise<{ readonly booking: Booking; readonly bags: number }> {
  const key = { [HEADER.clientKey]: "demo-kiosk-key" };
  const login = { username: B2B.username, password: B2B.password };
  const { accessToken } = await posted(url, endpoints.b2bSession.path, login, {
    ...key,
    [HEADER.b2bSecret]: B2B.secret,
  });
  const headers = { ...key, Authorization: `Bearer ${accessToken}` };
  const bookings: Booking[] = [];
  const own = seedJourneys(Date.now()).filter(({ airline }) => airline === "SK");
  for (const { flights, surname, givenName, destinationCity, bags, recordLocator } of own) {
    const booking = {
      ...{ airline: "SK", recordLocator },
      flights: flights.map(({ departure, arrival, ...flight }) => ({
        ...flight,
        ...timesOf(departure, arrival),
      })),
      passengers: [
        { ...{ surname, givenName, destinationCity }, baggage: bags.map(({ id: _, ...bag }) => bag) },
      ],
    };
    const { journeys } = await posted(url, endpoints.journeysFromAirlinePayload.path, booking, headers);
    const fed = (journeys as readonly Journey[])[0]?.baggage ?? [];
    bookings.push(...fed.map(({ baggageId }) => ({ recordLocator, surname, baggageId })));
  }
  return { booking: bookings[0] as Booking, bags: bookings.length };
}

const timesOf = (departure: number, arrival: number) => ({
  date: new Date(departure).toISOString().slice(0, 10),
  scheduledDeparture: new Date(departure).toISOString(),
  scheduledArrival: new Date(arrival).toISOString(),
});

async function posted(...request: Parameters<typeof post>) {
  const { status, body } = await post(...request);
  if (status !== 200) throw new Error(`${request[1]}: ${JSON.stringify(body)}`);
  return body;
}

type Bytes = Readonly<Record<string, number>>;

/** Of every table with its indexes that wrangler's local D1 has in `stateDir`. */
function bytesIn(stateDir: string): Bytes {
  const files = globSync(join(stateDir, "v3", "d1", "*", "*.sqlite"));
  const file = files.find((path) => !path.endsWith("metadata.sqlite")) ?? "";
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare(`select tbl_name as name,
        sum(payload + case when pagetype = 'leaf' then ncell else 0 end * ${CELL}) / ${FILL} as bytes
      from dbstat join sqlite_master using (name)
      where tbl_name not glob 'sqlite_*' and tbl_name not glob 'd1_*' and tbl_name not glob '_cf_*' group by tbl_name`)
    .all() as unknown as readonly { readonly name: string; readonly bytes: number }[];
  database.close();
  return Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes]));
}

function reportBytes(tables: readonly Left[]): readonly Goal[] {
  printTable(
    "What one bag's journey leaves",
    tables.map(({ name, bytes, days, erased, erasedDays: more }) => ({
      table: name,
      bytes: bytes.toFixed(0),
      "days kept": days.toFixed(days < 1 ? 3 : 1),
      "bytes once erased": erased === 0 ? "" : `${erased.toFixed(0)} for ${more.toFixed(0)} days`,
    })),
  );
  return [atMost("bytes that a journey leaves", sum(tables.map(({ bytes }) => bytes)), MOST_BYTES)];
}

/** Million bags a year where the busiest hour has `perSecond`. */
const atPeak = (perSecond: number) => (perSecond * 365 * DAY) / PEAK / 1e6;

function bagsAYear(tables: readonly Left[], calls: number): readonly Goal[] {
  const byteDays = sum(tables.map((one) => one.bytes * one.days + one.erased * one.erasedDays));
  // What JOURNEY_RETENTION_SECONDS (plates rest as long) and AUDIT_KEEP_SECONDS may be set to.
  const saved = tables.map(({ name, bytes, erased }) => {
    if (name === "audit_log") return bytes * (auditDays - 1);
    return FED.includes(name) ? erased * (erasedDays - limits.plateRestDays) : 0;
  });
  const ofStorage = (days: number) => (D1.bytes * 365) / days / 1e6;
  const { secondsPerCall } = D1;
  const { auditSealsPerRun, auditRowsPerSeal, bookingsPerErasure, erasureStatementsPerRun } = limits;
  const erasures = Math.floor(erasureStatementsPerRun / STATEMENTS_PER_ERASURE);
  const stops = {
    [`storage, ${(byteDays / 365).toFixed(0)} bytes at any time for each`]: ofStorage(byteDays),
    [`storage, past bookings kept ${limits.plateRestDays} days, audit log one`]: ofStorage(
      byteDays - sum(saved),
    ),
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
