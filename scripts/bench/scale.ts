/**
 * The endpoints on a small and on a crowded database, side by side in one run: what a request costs must not grow with the
 * tables. Each step is taken on both, in turn. Then a thousand attachments of one tag at once, which make one lock; and a
 * soak, in which the memory of workerd stands beside the floor's. Production throughout; `--size`, `--rounds`, `--parallel` and
 * `--soak` (seconds) make it shorter.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { Caller, post } from "../../e2e/support/caller.ts";
import { overOpenConnection, startServer } from "../serve/server.ts";
import { addCrowd } from "./crowd.ts";
import { renewed, VARS } from "./floor-sides.ts";
import { ATTACH, BOOKING, ITS_BAG } from "./floor-steps.ts";
import { median } from "./median.ts";
import { optionOf } from "./options.ts";
import { requireQuiet } from "./quiet.ts";
import { soak } from "./soak.ts";
import { printTable } from "./table.ts";

const SMALL = 1_000;
const WARM_UP = 15;
/** Median of the large over median of the small. */
const MOST = 1.3;
/** Who attach one tag at once. */
const CLAIMANTS = 40;

/** One tag's life: written, looked up, cleared, written again, taken over by a custody proof. */
const STEPS = [
  "refresh",
  "5 load",
  "8 authorize",
  "9 attach",
  "10 look up",
  "12 unlock",
  "9 attach again",
  "11 prove",
] as const;
type Step = (typeof STEPS)[number];

interface Place {
  readonly size: number;
  readonly url: string;
  readonly passenger: Caller;
  readonly other: Caller;
  readonly times: Record<Step, number[]>;
}

/** Prints the figures; resolves with whether each is within its goal. */
export async function benchScale(): Promise<boolean> {
  const [large, rounds] = [optionOf("size", 1_000_000), optionOf("rounds", 150)];
  const [parallel, seconds] = [optionOf("parallel", 1_000), optionOf("soak", 600)];
  await requireQuiet();
  const results = [await compare(SMALL, large, rounds, parallel), await soak(seconds)];
  return results.every((met) => met);
}

async function compare(small: number, large: number, rounds: number, parallel: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-scale-"));
  const servers = [];
  try {
    const places: Place[] = [];
    for (const size of [small, large]) {
      const server = await startServer({
        port: 0,
        stateDir: join(folder, `${size}`),
        vars: VARS,
        unlimited: true,
      });
      servers.push(server);
      const started = performance.now();
      await addCrowd(server.database, size, Date.now());
      const seconds = Math.round((performance.now() - started) / 1_000);
      console.log(`${size} rows in every table: ${await megabytes(server.database)} MB, in ${seconds} s`);
      places.push(await placeAt(server.url, size));
    }
    for (let round = -WARM_UP; round < rounds; round += 1) await playRound(places, round);
    const isOne = await attachAtOnce(places[1] as Place, servers[1]?.database as D1Database, parallel);
    return report(places, rounds) && isOne;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function megabytes(database: D1Database): Promise<number> {
  const { meta } = await overOpenConnection(() => database.prepare("select 1").all());
  return Math.round(meta.size_after / 1_000_000);
}

async function placeAt(url: string, size: number): Promise<Place> {
  const [passenger, other] = [await Caller.guest(url), await Caller.guest(url)];
  const times = Object.fromEntries(STEPS.map((step) => [step, [] as number[]])) as Place["times"];
  return { size, url, passenger, other, times };
}

/** Every step on both databases, beginning with another one each round. */
async function playRound(places: readonly Place[], round: number): Promise<void> {
  const device = `scale-${round + WARM_UP}`;
  const inTurn = round % 2 === 0 ? places : places.toReversed();
  for (const place of inTurn) await renewed(place.url, place.other);
  for (const step of STEPS) {
    for (const place of inTurn) {
      const started = performance.now();
      await take(place, step, device);
      if (round >= 0) place.times[step].push(performance.now() - started);
    }
  }
}

async function take({ url, passenger, other }: Place, step: Step, uniqueDeviceId: string): Promise<void> {
  if (step === "refresh") return renewed(url, passenger);
  const attachment = { device: { uniqueID: uniqueDeviceId }, baggageId: ITS_BAG };
  const calls: Record<Exclude<Step, "refresh">, readonly [Caller, string, unknown]> = {
    "5 load": [passenger, "/v2/journeys/from-record-locator", BOOKING],
    "8 authorize": [passenger, "/v2/ebt-authorizations", { uniqueDeviceId, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }],
    "9 attach": [passenger, ATTACH, attachment],
    "10 look up": [passenger, "/v2/ebt-lookups", { uniqueDeviceId }],
    "12 unlock": [passenger, "/v2/ebt-unlocks", { uniqueDeviceId }],
    "9 attach again": [passenger, ATTACH, attachment],
    "11 prove": [other, "/v2/ebt-custody-proofs", { uniqueDeviceId, ...BOOKING }],
  };
  const [caller, path, body] = calls[step];
  const { status, body: said } = await once(url, path, body, caller);
  if (status !== 200) throw new Error(`${step}: ${JSON.stringify(said)}`);
}

/** A request that is sent again where the connection closed before its answer, and carried out once. */
function once(url: string, path: string, body: unknown, { headers }: Caller) {
  const keyed = { ...headers, "Idempotency-Key": crypto.randomUUID() };
  return overOpenConnection(() => post(url, path, body, keyed));
}

/** So many attachments of one tag that nobody is entitled to: one guest locks it, all others are refused. */
async function attachAtOnce({ url, size }: Place, database: D1Database, parallel: number): Promise<boolean> {
  const guests: Caller[] = [];
  for (let n = 0; n < CLAIMANTS; n += 1) guests.push(await Caller.guest(url));
  const attachment = { device: { uniqueID: "at-once" }, baggageId: ITS_BAG };
  const asked = Array.from({ length: parallel }, async (_, n) => {
    const { status, body } = await once(url, ATTACH, attachment, guests[n % CLAIMANTS] as Caller);
    return { guest: n % CLAIMANTS, said: status === 200 ? "locked" : String(body.errorCode) };
  });
  const answers = await Promise.all(asked);
  const holders = new Set(answers.filter(({ said }) => said === "locked").map(({ guest }) => guest));
  const others = answers.filter(({ said }) => said !== "locked" && said !== "device_locked");
  const { results } = await database
    .prepare("select 1 from device_ticket_locks where device_id = 'at-once'")
    .all();
  printTable(`${parallel} attachments of one tag at once, ${size} rows`, [
    { "of them": "locks", is: results.length, goal: "1" },
    { "of them": "guests who were told that they hold it", is: holders.size, goal: "1" },
    { "of them": "answers that are neither", is: others.length, goal: "0" },
  ]);
  return results.length === 1 && holders.size === 1 && others.length === 0;
}

function report([small, large]: readonly Place[], rounds: number): boolean {
  const rows = STEPS.map((step) => {
    const [less, more] = [median(small?.times[step] ?? []), median(large?.times[step] ?? [])];
    return { step, less, more, ratio: more / less };
  });
  printTable(
    `Median of ${rounds} requests in ms, over HTTP on this machine`,
    rows.map(({ step, less, more, ratio }) => ({
      endpoint: step,
      [`${small?.size} rows`]: less.toFixed(1),
      [`${large?.size} rows`]: more.toFixed(1),
      ratio: ratio.toFixed(2),
      goal: `≤ ${MOST}`,
      met: ratio <= MOST ? "yes" : "NO",
    })),
  );
  return rows.every(({ ratio }) => ratio <= MOST);
}
