/**
 * What a bag's journey costs the operator: every request of a passenger who writes a tag and clears it after the trip,
 * with the rows D1 counts for it, times the list prices. No time is measured: the figures are exact and repeatable.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Caller } from "../../e2e/support/caller.ts";
import { startServer } from "../serve/server.ts";
import { printTable } from "./table.ts";

/** US dollars per million beyond what the paid plan includes (developers.cloudflare.com, Workers and D1 pricing). */
const PRICES = { requests: 0.3, cpuMilliseconds: 0.02, rowsRead: 0.001, rowsWritten: 1 } as const;
/** CPU time assumed per request, in ms: signatures and proofs take well under one (docs/operations.md). */
const CPU_PER_REQUEST = 5;
/** The most that a million transfers with their clears may cost. */
const MOST_PER_MILLION = 200;

interface Line {
  readonly route: string;
  readonly status: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/** Prints the requests of one journey and the price of a million; resolves with whether it is within the goal. */
export async function benchCost(): Promise<boolean> {
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-cost-"));
  const lines: Line[] = [];
  const server = await startServer({
    port: 0,
    stateDir,
    log: (text) => {
      const line: Partial<Line> = JSON.parse(text);
      if (line.route?.startsWith("/v2/")) lines.push(line as Line);
    },
  });
  try {
    await travel(server.url);
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true });
  }
  return report(lines);
}

/** Writes a tag with the requests our own page sends, and clears it. */
async function travel(url: string): Promise<void> {
  const passenger = await Caller.guest(url);
  const uniqueDeviceId = "cost-1";
  const nonce = "AAAAAAAAAAAAAAAAAAAAAA";
  const steps: readonly (readonly [string, unknown])[] = [
    ["/v2/auth/device-client-certificates", {}],
    ["/v2/journeys/from-record-locator", { recordLocator: "ABC123", surname: "LOVELACE" }],
    ["/v2/ebt-lookups", { uniqueDeviceId }],
    ["/v2/ebt-authorizations", { uniqueDeviceId, nonce }],
    ["/v2/device-attachments", { device: { uniqueID: uniqueDeviceId }, baggageId: 1 }],
    ["/v2/ebt-authorizations", { uniqueDeviceId, nonce }],
    ["/v2/ebt-unlocks", { uniqueDeviceId }],
  ];
  for (const [path, body] of steps) {
    const answer = await passenger.post(path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  }
}

function report(lines: readonly Line[]): boolean {
  printTable(
    "One journey: a tag written, and cleared after the trip",
    lines.map(({ route, rowsRead, rowsWritten }) => ({
      request: route,
      "rows read": rowsRead,
      "rows written": rowsWritten,
    })),
  );
  const sum = (of: (line: Line) => number) => lines.reduce((total, line) => total + of(line), 0);
  const each = {
    requests: lines.length,
    cpuMilliseconds: lines.length * CPU_PER_REQUEST,
    rowsRead: sum(({ rowsRead }) => rowsRead),
    // The sweeper later deletes every row that is written.
    rowsWritten: 2 * sum(({ rowsWritten }) => rowsWritten),
  };
  const costs = Object.entries(PRICES).map(([what, price]) => {
    const amount = each[what as keyof typeof each];
    return { what, amount, price, cost: amount * price };
  });
  const total = costs.reduce((all, { cost }) => all + cost, 0);
  printTable("A million journeys, in US dollars at list prices, nothing included free", [
    ...costs.map(({ what, amount, price, cost }) => ({
      what,
      "of one journey": amount,
      "per million": price,
      dollars: cost.toFixed(2),
    })),
    { what: "together", "of one journey": "", "per million": "", dollars: total.toFixed(2) },
  ]);
  console.log(`\nGoal: at most ${MOST_PER_MILLION} dollars: ${total <= MOST_PER_MILLION ? "met" : "MISSED"}`);
  return total <= MOST_PER_MILLION;
}
