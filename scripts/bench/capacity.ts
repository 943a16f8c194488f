/**
 * How many bags a year one database carries, and what stops it: the rows and bytes that one bag's journey leaves (a v2.1
 * tag written and cleared by the SDK, production mode), how long each is kept, and the pace of the scheduled
 * runs. Rows and bytes are counted in the real database; what is assumed stands in the constants.
 */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../../core/api/index.ts";
import { type Server, startServer } from "../serve/server.ts";
import { joined, type Line, sum } from "./cost.ts";
import { PRODUCTION, recorder, type Send, type SentRequest, travel, untilLater } from "./passenger.ts";
import { printTable } from "./table.ts";

const GOAL = { bagsAYear: 200e6, bytesAJourney: 1_100 } as const;
const DAY = 86_400;
const YEAR = 365 * DAY;
/** Of D1 (developers.cloudflare.com): the size of a database, and what a call takes of its one thread. */
const D1 = { bytes: 10e9, secondsPerCall: 0.002 } as const;
/** Between two scheduled runs (wrangler.toml). */
const BETWEEN_RUNS = 300;
/** The busiest hour of an airline's year over its average hour. */
const PEAK = 4;
/** What a B-tree whose keys come in no order fills of its pages. */
const FILL = 0.75;
/** Of a cell beside its payload: its place in the page, its length, its key. */
const CELL = 6;
/** Airlines send a booking's bags when check-in opens. */
const FED_AHEAD_DAYS = 2;
const TAG_USES_A_YEAR = 10;
/** Bookings of the development data, and their bags. */
const SEEDED_BAGS = 4;

const erasedDays = limits.journeyRetentionSeconds / DAY;
const liveDays = FED_AHEAD_DAYS + limits.lockAfterArrivalSeconds / DAY;
/** How many days a row stays as it is. */
const KEPT: Readonly<Record<string, number>> = {
  travel_plans: liveDays,
  journeys: liveDays,
  flights: liveDays,
  bags: liveDays,
  loaded_plans: liveDays,
  device_ticket_locks: liveDays,
  devices: liveDays,
  device_aliases: 365 / TAG_USES_A_YEAR,
  sessions: (limits.refreshTokenSeconds + limits.accessTokenSeconds) / DAY,
  certificates: limits.certificateSeconds / DAY,
  // By whole days.
  idempotency_records: limits.idempotencySeconds / DAY + 0.5,
  used_once: (2 * limits.dpopProofSeconds) / DAY,
  guess_counters: 3_600 / DAY,
  failed_proofs: liveDays,
  attestation_credentials: limits.refreshFamilySeconds / DAY,
  audit_log: limits.auditKeepSeconds / DAY,
  audit_seals: limits.auditKeepSeconds / DAY,
};
/** And how many more without anybody's name or pseudonym. */
const KEPT_ERASED: Readonly<Record<string, number>> = {
  travel_plans: erasedDays,
  journeys: erasedDays,
  flights: erasedDays,
  bags: erasedDays,
  devices: 365 / TAG_USES_A_YEAR - liveDays,
};
const FED = ["travel_plans", "journeys", "flights", "bags"];

/** What a table holds with its indexes. */
interface Held {
  readonly rows: number;
  readonly bytes: number;
  /** Of the bytes, those in indexes. */
  readonly indexed: number;
}
type Tables = ReadonlyMap<string, Held>;

/** Prints both tables; resolves with whether the goals are met. */
export async function benchCapacity(): Promise<boolean> {
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-capacity-"));
  const lines: Line[] = [];
  const log = (text: string) => void lines.push(JSON.parse(text));
  const server = await startServer({ port: 0, stateDir, vars: PRODUCTION, log });
  try {
    const sent: SentRequest[] = [];
    const journey = await journeyIn(server, stateDir, recorder(sent));
    return report(journey, sum(joined(sent, lines), "calls"));
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true });
  }
}

/** What a journey leaves by table, the most of either day, and what is left of it once nobody is named in it. */
interface Journey {
  readonly whole: Tables;
  readonly erased: Tables;
}

async function journeyIn(server: Server, stateDir: string, send: Send): Promise<Journey> {
  await untilLater(server);
  const before = heldIn(stateDir);
  let written: Tables = new Map();
  const between = async () => {
    written = heldIn(stateDir);
    await untilLater(server);
  };
  await travel(server, { generation: "2.1", send, between });
  const cleared = heldIn(stateDir);
  await server.schedule(Date.now() + 6 * DAY * 1_000);
  const after = heldIn(stateDir);
  const whole = new Map<string, Held>();
  for (const [name, { rows, bytes, indexed }] of before) {
    const days = [written, cleared].map((day) => day.get(name) ?? NOTHING);
    const most = (what: keyof Held) => Math.max(...days.map((day) => day[what]));
    const held = FED.includes(name)
      ? ofOneBag(before, name)
      : { rows: most("rows") - rows, bytes: most("bytes") - bytes, indexed: most("indexed") - indexed };
    if (held.rows > 0) whole.set(name, held);
  }
  const tag = (after.get("devices")?.bytes ?? 0) - (before.get("devices")?.bytes ?? 0);
  const erased = FED.map((name) => [name, ofOneBag(after, name)] as const);
  return { whole, erased: new Map([...erased, ["devices", { rows: 1, bytes: tag, indexed: 0 }]]) };
}

const NOTHING: Held = { rows: 0, bytes: 0, indexed: 0 };

/** The share of one bag in the rows that an airline fed. */
function ofOneBag(tables: Tables, name: string): Held {
  const { rows, bytes, indexed } = tables.get(name) ?? NOTHING;
  return { rows: rows / SEEDED_BAGS, bytes: bytes / SEEDED_BAGS, indexed: indexed / SEEDED_BAGS };
}

/** Rows and bytes of every table that wrangler's local D1 has in `stateDir`. */
function heldIn(stateDir: string): Tables {
  const [path = ""] = globSync(join(stateDir, "v3", "d1", "*", "*.sqlite")).filter(
    (file) => !file.endsWith("metadata.sqlite"),
  );
  const database = new DatabaseSync(path, { readOnly: true });
  const held = database
    .prepare(`select tbl_name as name,
      sum(case when type = 'table' and leaf then ncell else 0 end) as rows,
      sum(size) as bytes, sum(case when type = 'index' then size else 0 end) as indexed
      from (select name, ncell, pagetype = 'leaf' as leaf,
        payload + case when pagetype = 'leaf' then ncell else 0 end * ${CELL} as size from dbstat) join sqlite_master using (name)
      group by tbl_name`)
    .all() as unknown as readonly (Held & { readonly name: string })[];
  database.close();
  const ours = held.filter(({ name }) => !/^(sqlite_|d1_|_cf_)/.test(name));
  return new Map(
    ours.map(({ name, rows, bytes, indexed }) => [
      name,
      { rows, bytes: bytes / FILL, indexed: indexed / FILL },
    ]),
  );
}

function report({ whole, erased }: Journey, calls: number): boolean {
  const each = [...whole].map(([name, { rows, bytes, indexed }]) => {
    const days = KEPT[name];
    if (days === undefined) throw new Error(`how long does a row of ${name} stay?`);
    const later = erased.get(name)?.bytes ?? 0;
    return {
      name,
      rows,
      bytes,
      indexed,
      days,
      later,
      byteDays: bytes * days + later * (KEPT_ERASED[name] ?? 0),
    };
  });
  const bytes = each.reduce((sum, row) => sum + row.bytes, 0);
  printTable("What one bag's journey leaves", [
    ...each.map(({ name, rows, bytes, indexed, days, later }) => ({
      table: name,
      rows: rows.toFixed(1),
      bytes: bytes.toFixed(0),
      "in indexes": indexed.toFixed(0),
      "days kept": days.toFixed(days < 1 ? 3 : 1),
      "bytes once erased": later === 0 ? "" : `${later.toFixed(0)} for ${KEPT_ERASED[name]} days`,
    })),
    {
      table: "together",
      rows: "",
      bytes: bytes.toFixed(0),
      "in indexes": each.reduce((sum, { indexed }) => sum + indexed, 0).toFixed(0),
      "days kept": `goal ≤ ${GOAL.bytesAJourney}`,
      "bytes once erased": "",
    },
  ]);
  const stops = bagsAYear(each, calls).map(([what, bags]) => ({
    "what stops it": what,
    "million bags a year": Math.floor(bags / 1e6),
    goal: `≥ ${GOAL.bagsAYear / 1e6}`,
    met: bags >= GOAL.bagsAYear ? "yes" : "NO",
  }));
  printTable("One database carries", stops);
  return bytes <= GOAL.bytesAJourney && stops.every(({ met }) => met === "yes");
}

/** What JOURNEY_RETENTION_SECONDS (plates rest as long) and AUDIT_KEEP_SECONDS may be set to, in days. */
const SHORTER = { erasedDays: limits.plateRestDays, auditDays: 1 } as const;

/** Bytes and days that these save. */
const savedByShorterVars = (tables: readonly Kept[]): number =>
  tables.reduce((sum, { name, bytes, later }) => {
    if (name === "audit_log") return sum + bytes * (limits.auditKeepSeconds / DAY - SHORTER.auditDays);
    return FED.includes(name) ? sum + later * (erasedDays - SHORTER.erasedDays) : sum;
  }, 0);

interface Kept extends Held {
  readonly name: string;
  /** Bytes once nobody is named. */
  readonly later: number;
  readonly byteDays: number;
}

/** Each limit, and the bags a year at which it is reached. */
function bagsAYear(tables: readonly Kept[], calls: number): readonly (readonly [string, number])[] {
  const byteDays = tables.reduce((sum, { byteDays }) => sum + byteDays, 0);
  const shorter = byteDays - savedByShorterVars(tables);
  const rowsOf = (...names: readonly string[]) =>
    tables.filter(({ name }) => names.includes(name)).reduce((sum, { rows }) => sum + rows, 0);
  const kept = ["devices", "device_aliases", "audit_log", "audit_seals", ...FED];
  const swept = rowsOf(...tables.map(({ name }) => name).filter((name) => !kept.includes(name)));
  const runsAYear = YEAR / BETWEEN_RUNS / PEAK;
  const { sweepStatementsPerRun, sweepRowsPerStatement, auditRowsPerSeal } = limits;
  const audited = rowsOf("audit_log");
  return [
    [
      `storage: ${(byteDays / 365).toFixed(0)} bytes at any time for each bag of a year`,
      D1.bytes / (byteDays / 365),
    ],
    [
      `the same, past bookings kept ${SHORTER.erasedDays} days and the audit log ${SHORTER.auditDays}`,
      D1.bytes / (shorter / 365),
    ],
    [
      `${calls} calls a journey, ${D1.secondsPerCall * 1_000} ms each`,
      YEAR / (calls * D1.secondsPerCall) / PEAK,
    ],
    // Two statements for names, three for who had loaded the booking.
    ["erasure", (limits.erasureStatementsPerRun / 5) * limits.bookingsPerErasure * runsAYear],
    // Bookings go a tenth as many to a statement.
    ["sweeping", (sweepStatementsPerRun * sweepRowsPerStatement * runsAYear) / (swept + 10)],
    ["sealing", (limits.auditSealsPerRun * auditRowsPerSeal * runsAYear) / audited],
    // A night is enough to catch up with a day.
    ["archive", (limits.auditArchivesPerRun * auditRowsPerSeal * runsAYear * PEAK) / audited],
  ];
}
