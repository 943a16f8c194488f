/**
 * What a bag's journey costs the operator: every request that the SDK sends to write a virtual tag, and to clear it on
 * the day of return, in production; the D1 calls and statements it takes, the rows D1 counts for it then and when the
 * sweeper has removed them, times the list prices. No time is measured.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { post } from "../drivers/caller.ts";
import { type Server, startServer } from "../serve/server.ts";
import { BOOKINGS_GONE, costOfFeeds } from "./feed-cost.ts";
import { endSessions, PRODUCTION, recorder, type SentRequest, travel, untilLater } from "./passenger.ts";
import { PRICES } from "./prices.ts";
import { printTable } from "./table.ts";

/** CPU time assumed per request, in ms: signatures and proofs take well under one (docs/operations.md). */
const CPU_PER_REQUEST = 5;
/** By then everything that ends has ended, bookings and unused tags apart. */
const LATER = 35 * 86_400_000;
const MOST_RUNS = 50;

/** The same whether an isolate has seen the caller or not. */
const JOURNEYS = [
  { generation: "2.1", most: { calls: 22, statements: 76, rowsWritten: 36 } },
  { generation: "2.0", most: { calls: 21, statements: 73, rowsWritten: 36 } },
] as const;
/** Of rows written, with what the sweeper writes later. */
const MOST_WITH_SWEEPING = { "2.1": 48, "2.0": 48 } as const;

export interface Line {
  readonly route: string;
  readonly requestId: string;
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}
type Counted = keyof Omit<Line, "route" | "requestId">;
type Counts = Line & Pick<SentRequest, "bytesSent" | "bytesAnswered">;

/** Prints the requests of each journey and the price of a million; resolves with whether it is within the goals. */
export async function benchCost(): Promise<boolean> {
  const journeys = await countJourneys();
  const rows: Goal[] = journeys.flatMap(({ generation, most, counts }) => {
    const title = `v${generation} tag`;
    printJourney(title, counts);
    return Object.entries(most).map(([what, limit]) => ({
      of: title,
      what,
      is: sum(counts, what as Counted),
      limit,
    }));
  });
  const idle = await lifeOf(endSessions);
  for (const { generation, counts } of journeys) {
    const life = await lifeOf((server) => travel(server, { generation, between: () => endSessions(server) }));
    const swept = life.swept - idle.swept;
    const rowsWritten = sum(counts, "rowsWritten") + swept;
    printPrices(generation, counts, rowsWritten);
    const limit = MOST_WITH_SWEEPING[generation];
    rows.push({ of: `v${generation} tag`, what: "rowsWritten, with sweeping", is: rowsWritten, limit });
  }
  await costOfFeeds((use) => lifeOf(use, BOOKINGS_GONE));
  return report(rows);
}

interface Goal {
  readonly of: string;
  readonly what: string;
  readonly is: number;
  readonly limit: number;
}

function report(rows: readonly Goal[]): boolean {
  const isMet = ({ is, limit }: Goal) => is <= limit;
  const table = rows.map((row) => ({
    "of one journey": row.of,
    what: row.what,
    is: row.is,
    goal: `≤ ${row.limit}`,
    met: isMet(row) ? "yes" : "NO",
  }));
  printTable("Goals", table);
  return rows.every(isMet);
}

/** Every journey by a service that has served one before. */
async function countJourneys() {
  const sent = JOURNEYS.map((): SentRequest[] => []);
  const { requests } = await lifeOf(async (server) => {
    await travel(server, { generation: "2.1" });
    for (const [n, { generation }] of JOURNEYS.entries()) {
      const between = () => untilLater(server);
      await between();
      await travel(server, { generation, send: recorder(sent[n] ?? []), between });
    }
  });
  return JOURNEYS.map((journey, n) => ({ ...journey, counts: joined(sent[n] ?? [], requests) }));
}

/** What the service logged of each request that was sent. */
export const joined = (sent: readonly SentRequest[], lines: readonly Line[]): readonly Counts[] =>
  sent.map(({ requestId, path, bytesSent, bytesAnswered }) => {
    const line = lines.find((one) => one.requestId === requestId);
    if (line === undefined) throw new Error(`${path}: nothing was logged`);
    return { ...line, bytesSent, bytesAnswered };
  });

interface Life {
  readonly requests: readonly Line[];
  /** Rows written by the runs that removed what was left. */
  readonly swept: number;
}

/** A service of its own: `use` it, and sweep what that leaves. */
export async function lifeOf(use: (server: Server) => Promise<void>, later = LATER): Promise<Life> {
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-cost-"));
  const requests: Line[] = [];
  const runs: (Line & { readonly unfinished: readonly string[] })[] = [];
  const server = await startServer({
    port: 0,
    stateDir,
    vars: PRODUCTION,
    log: (text) => {
      const line = JSON.parse(text);
      (line.route === "scheduled" ? runs : requests).push(line);
    },
  });
  try {
    // The first row of a table that numbers its rows costs one more, once.
    await post(server.url, "/v2/auth/refresh", { refreshToken: "none" });
    requests.length = 0;
    await use(server);
    do await server.schedule(Date.now() + later);
    while (runs.length < MOST_RUNS && runs.at(-1)?.unfinished.length !== 0);
    return { requests, swept: sum(runs, "rowsWritten") };
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true });
  }
}

export const sum = <Name extends string>(lines: readonly Readonly<Record<Name, number>>[], what: Name) =>
  lines.reduce((total, line) => total + line[what], 0);

const COLUMNS = {
  calls: "calls",
  statements: "statements",
  rowsRead: "rows read",
  rowsWritten: "rows written",
  bytesSent: "bytes sent",
  bytesAnswered: "answered",
} as const;

function printJourney(title: string, counts: readonly Counts[]): void {
  const names = Object.entries(COLUMNS) as [keyof typeof COLUMNS, string][];
  const row = (request: string, count: (what: keyof typeof COLUMNS) => number) => ({
    request,
    ...Object.fromEntries(names.map(([what, name]) => [name, count(what)])),
  });
  printTable(`One journey, ${title}`, [
    ...counts.map((line) => row(line.route, (what) => line[what])),
    row(`${counts.length} requests`, (what) => sum(counts, what)),
  ]);
}

function printPrices(generation: GattVersion, counts: readonly Counts[], rowsWritten: number): void {
  const each: Readonly<Record<keyof typeof PRICES, number>> = {
    requests: counts.length,
    cpuMilliseconds: counts.length * CPU_PER_REQUEST,
    rowsRead: sum(counts, "rowsRead"),
    rowsWritten,
  };
  const costs = Object.entries(PRICES).map(([what, price]) => {
    const amount = each[what as keyof typeof PRICES];
    return { what, "of one journey": amount, "per million": price, dollars: (amount * price).toFixed(2) };
  });
  const total = costs.reduce((all, { dollars }) => all + Number(dollars), 0).toFixed(2);
  printTable(
    `A million journeys with a v${generation} tag, in US dollars at list prices, nothing included free`,
    [...costs, { what: "together", "of one journey": "", "per million": "", dollars: total }],
  );
}
