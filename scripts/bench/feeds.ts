/**
 * Measures how many baggage source messages a minute the service takes on this machine. The floor is measured in the
 * same run: how many new bookings a minute D1 alone writes, with the same rows and the same number of statements.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { startServer } from "../serve/server.ts";
import { median } from "./median.ts";
import { printTable } from "./table.ts";

/** Messages a minute. */
const LEAST = 20_000;
const PER_REQUEST = 500;
const REQUESTS = 20;
const AT_ONCE = 2;
/** How many requests the floor is measured with, after each kind of message. */
const FLOOR_REQUESTS = 10;
/** One message per request, as a small station sends them. */
const SINGLES = 400;
const SINGLES_AT_ONCE = 16;
const DAY = 86_400_000;

/** The messages sent: one passenger with one bag each. */
export const KINDS = [
  { what: "new bookings", action: "", flight: "SK1234/ARN", goal: true },
  { what: "the same again", action: "", flight: "SK1234/ARN", goal: true },
  { what: "flight changed", action: "CHG", flight: "SK1460/ARN", goal: true },
  { what: "deleted", action: "DEL", flight: "SK1460/ARN", goal: true },
] as const;

interface Row {
  readonly what: string;
  readonly perMinute: number;
  readonly perRequest: number;
  /** Bookings that D1 alone wrote per minute, in the same run. */
  readonly floor: number;
  readonly goal: boolean;
}

/** Prints the figures; resolves with whether each kind reaches its goal. */
export async function benchFeeds(): Promise<boolean> {
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-feeds-"));
  const server = await startServer({ port: 0, stateDir });
  try {
    const send = await sender(server.url);
    await send(batch(KINDS[0], 900_000, 50));
    const rows: Row[] = [];
    const floors: number[] = [];
    for (const kind of KINDS) {
      const texts = Array.from({ length: REQUESTS }, (_, i) => batch(kind, i * PER_REQUEST, PER_REQUEST));
      const rate = await rateOf(texts, AT_ONCE, PER_REQUEST, send);
      // After each kind, so that a machine that grows busier slows both.
      const floor = await floorOf(server.database, rows.length * FLOOR_REQUESTS);
      rows.push({ what: kind.what, ...rate, floor, goal: kind.goal });
      floors.push(floor);
    }
    const singles = Array.from({ length: SINGLES }, (_, i) => batch(KINDS[0], 500_000 + i, 1));
    const single = await rateOf(singles, SINGLES_AT_ONCE, 1, send);
    rows.push({
      what: "new bookings, one message per request",
      ...single,
      floor: median(floors),
      goal: false,
    });
    return report(rows);
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true });
  }
}

type Send = (body: string | object) => Promise<void>;

const BSM = "/v2/baggage-source-messages";

/** Logs in as the demo staff; the service must apply every message (or other body) or know it already. */
export async function sender(url: string, path = BSM): Promise<Send> {
  const call = async (path: string, body: unknown, headers: Record<string, string>) => {
    const key = { "X-Source-App-Key": "demo-kiosk-key" };
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...key, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const credentials = { username: "kiosk-osl-1", password: "correct horse battery staple" };
  const secret = { "X-B2B-Secret": "demo-b2b-secret" };
  const session = await call("/v2/auth/b2b-secret/sessions", credentials, secret);
  const { accessToken } = session as { readonly accessToken: string };
  return async (body) => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    const answer = await call(path, typeof body === "string" ? { message: body } : body, headers);
    const { results = [] } = answer as { readonly results?: readonly { readonly outcome: string }[] };
    const refused = results.find(({ outcome }) => outcome === "refused");
    if (refused !== undefined) throw new Error(`a message was refused: ${JSON.stringify(refused)}`);
  };
}

/** `count` messages, one after the other, of passengers numbered from `first`. */
export function batch({ action, flight }: (typeof KINDS)[number], first: number, count: number): string {
  const [designator, to] = flight.split("/");
  const day = ticketDay(Date.now() + DAY);
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  return numbers
    .map((number) => {
      const serial = String(number).padStart(6, "0");
      const name = [...serial].map((digit) => "ABCDEFGHIJ"[Number(digit)]).join("");
      return [
        ...["BSM", ...(action === "" ? [] : [action]), ".V/1LOSL", `.F/${designator}/${day}/${to}/Y`],
        ...[`.N/3117${serial}001`, ".S/Y/08A/C/034", ".W/P/1", `.P/1TRAVELLER${name}/ADA`, `.L/B${serial}`],
        ...["ENDBSM", ""],
      ].join("\n");
    })
    .join("");
}

function ticketDay(time: number): string {
  const date = new Date(time);
  const month = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ")[date.getUTCMonth()];
  return `${String(date.getUTCDate()).padStart(2, "0")}${month}`;
}

/** Messages a minute, `atOnce` requests at a time, and the median time of a request in ms. */
async function rateOf(texts: readonly string[], atOnce: number, perRequest: number, send: Send) {
  const waiting = [...texts];
  const times: number[] = [];
  const started = performance.now();
  const lane = async () => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      const begun = performance.now();
      await send(text);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const minutes = (performance.now() - started) / 60_000;
  return { perMinute: (texts.length * perRequest) / minutes, perRequest: median(times) };
}

/**
 * The floor, in messages a minute: D1 alone writes rows of new bookings, made beforehand and as many in a call as a request
 * has messages. `from` is the number of the first call.
 */
async function floorOf(database: D1Database, from: number): Promise<number> {
  const rows = (first: number) => Array.from({ length: PER_REQUEST }, (_, i) => first + i);
  const each = "from json_each(?1)";
  const tables = [
    `insert into travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)
      select 'floor-' || value, 'SK', 'floor-hash-' || value, hex(randomblob(20)), '2030-01-01', 1e13 ${each}`,
    `insert into journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport,
      destination_airport) select 'floor-' || value, 'floor-' || value, hex(randomblob(40)), hex(randomblob(256)),
      'A', 'OSL', 'ARN' ${each}`,
    `insert into flights (journey_id, position, carrier, number, date, from_airport, to_airport)
      select 'floor-' || value, 0, 'SK', '1234', '2030-01-01', 'OSL', 'ARN' ${each}`,
    `insert into bags (journey_id, licence_plate, flight_date)
      select 'floor-' || value, '4117' || printf('%06d', value), '2030-01-01' ${each}`,
  ];
  const started = performance.now();
  for (let i = from; i < from + FLOOR_REQUESTS; i++) {
    const json = JSON.stringify(rows(i * PER_REQUEST));
    await database.batch(tables.map((statement) => database.prepare(statement).bind(json)));
  }
  return (FLOOR_REQUESTS * PER_REQUEST) / ((performance.now() - started) / 60_000);
}

function report(rows: readonly Row[]): boolean {
  printTable(
    `Baggage source messages, ${PER_REQUEST} per request, ${AT_ONCE} requests at a time`,
    rows.map(({ what, perMinute, perRequest, floor }) => ({
      messages: what,
      "per minute": Math.round(perMinute),
      "ms per request": perRequest.toFixed(1),
      "D1 alone, bookings per minute": Math.round(floor),
      share: (perMinute / floor).toFixed(2),
    })),
  );
  const goals = rows.filter(({ goal }) => goal);
  printTable(
    "Goals",
    goals.map(({ what, perMinute }) => ({
      what: `${what}, per minute`,
      goal: `≥ ${LEAST}`,
      figure: Math.round(perMinute),
      met: perMinute >= LEAST ? "yes" : "NO",
    })),
  );
  return goals.every(({ perMinute }) => perMinute >= LEAST);
}
