/**
 * What a bag's journey costs the operator: every request of a passenger's page that writes a tag, and on the day of
 * return clears it in a session of its own, as a deployment runs it (production); the D1 calls and statements it
 * takes, the rows D1 counts for it then and when the sweeper has removed them, times the list prices. No time is
 * measured: the figures are exact and repeatable.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { post } from "../../e2e/support/caller.ts";
import { type Server, startServer } from "../serve/server.ts";
import { BOOKINGS_GONE, costOfFeeds } from "./feed-cost.ts";
import { PageCaller } from "./page-caller.ts";
import { PRICES } from "./prices.ts";
import { printTable } from "./table.ts";

/** CPU time assumed per request, in ms: signatures and proofs take well under one (docs/operations.md). */
const CPU_PER_REQUEST = 5;
/** The most that one journey may take. */
const MOST = { calls: 15, rowsWritten: 33, withSweeping: 45 } as const;
/** By then everything that ends has ended, bookings and unused tags apart. */
const LATER = 35 * 86_400_000;
const MOST_RUNS = 50;

export interface Line {
  readonly route: string;
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}
type Counted = keyof Omit<Line, "route">;

/** Prints the requests of one journey and the price of a million; resolves with whether it is within the goals. */
export async function benchCost(): Promise<boolean> {
  const travelled = await lifeOf((server) => travel(server));
  // The development data is swept too, and is no passenger's.
  const idle = await lifeOf(async () => undefined);
  const swept = travelled.swept - idle.swept;
  const isWithin = report(travelled.requests, swept);
  await costOfFeeds((use) => lifeOf(use, BOOKINGS_GONE));
  return isWithin;
}

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
    vars: { ENVIRONMENT: "production" },
    log: (text) => {
      const line = JSON.parse(text);
      if (line.route === "scheduled") runs.push(line);
      else if (line.route.startsWith("/v2/")) requests.push(line);
    },
  });
  try {
    // The first row of a table that numbers its rows costs one more, once.
    await post(server.url, "/v2/auth/refresh", { refreshToken: "nobody's" });
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

/** Writes a tag, and clears it after the journey; `between` happens on the way. */
export async function travel({ url }: Server, between = async () => {}): Promise<void> {
  const page = await PageCaller.at(url);
  const uniqueDeviceId = "cost-1";
  const booking = { body: { recordLocator: "ABC123", surname: "LOVELACE" } };
  const lookUp = { body: { uniqueDeviceId, forBaggageId: 1 } };
  const nonce = "AAAAAAAAAAAAAAAAAAAAAA";
  await page.login();
  await page.post("/v2/auth/device-client-certificates");
  const { journeyId } = await page.post("/v2/journeys/from-record-locator", booking);
  await page.post(`/v2/journeys/${journeyId}`);
  await page.post("/v2/ebt-lookups", lookUp);
  await page.post("/v2/ebt-authorizations", { body: { uniqueDeviceId, nonce, operation: "write" } });
  const attachment = { device: { uniqueID: uniqueDeviceId }, baggageId: 1 };
  await page.post("/v2/device-attachments", { body: attachment, once: true });
  await between();

  await page.login();
  await page.post("/v2/journeys/from-record-locator", booking);
  await page.post("/v2/ebt-lookups", lookUp);
  await page.post("/v2/ebt-authorizations", { body: { uniqueDeviceId, nonce } });
  await page.post("/v2/ebt-unlocks", { body: { uniqueDeviceId }, once: true });
}

const sum = (lines: readonly Line[], what: Counted) => lines.reduce((total, line) => total + line[what], 0);

function report(lines: readonly Line[], swept: number): boolean {
  const row = (request: string, count: (what: Counted) => number) => ({
    request,
    calls: count("calls"),
    statements: count("statements"),
    "rows read": count("rowsRead"),
    "rows written": count("rowsWritten"),
  });
  printTable("One journey: a tag written, and cleared on the day of return", [
    ...lines.map((line) => row(line.route, (what) => line[what])),
    row(`${lines.length} requests`, (what) => sum(lines, what)),
  ]);
  const each = {
    requests: lines.length,
    cpuMilliseconds: lines.length * CPU_PER_REQUEST,
    rowsRead: sum(lines, "rowsRead"),
    rowsWritten: sum(lines, "rowsWritten") + swept,
  };
  printPrices(each);
  const found = {
    calls: sum(lines, "calls"),
    rowsWritten: each.rowsWritten - swept,
    withSweeping: each.rowsWritten,
  };
  const goals = Object.entries(MOST).map(([what, most]) => {
    const is = found[what as keyof typeof MOST];
    return { "of one journey": what, is, goal: `≤ ${most}`, met: is <= most ? "yes" : "NO" };
  });
  printTable("Goals", goals);
  return goals.every(({ met }) => met === "yes");
}

function printPrices(each: Readonly<Record<keyof typeof PRICES, number>>): void {
  const costs = Object.entries(PRICES).map(([what, price]) => {
    const amount = each[what as keyof typeof PRICES];
    return { what, "of one journey": amount, "per million": price, dollars: (amount * price).toFixed(2) };
  });
  const total = costs.reduce((all, { dollars }) => all + Number(dollars), 0).toFixed(2);
  printTable("A million journeys, in US dollars at list prices, nothing included free", [
    ...costs,
    { what: "together", "of one journey": "", "per million": "", dollars: total },
  ]);
}
