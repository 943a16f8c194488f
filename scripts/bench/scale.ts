/**
 * The SDK's requests on a small and on a crowded database, side by side in one run: what a request costs must not grow
 * with the tables. Each journey is made on both, in turn. Then a thousand attachments of one tag at once, which make one
 * lock; and a soak, in which the memory of workerd stands beside the floor's. Production throughout; `--size`, `--rounds`,
 * `--parallel` and `--soak` (seconds) make it shorter.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { Caller, post } from "../drivers/caller.ts";
import { overOpenConnection, type Server, startServer } from "../serve/server.ts";
import { addCrowd } from "./crowd.ts";
import { VARS } from "./floor-sides.ts";
import { median } from "./median.ts";
import { optionOf } from "./options.ts";
import { forgetLoads, nameOf, type Send, travel } from "./passenger.ts";
import { requireQuiet } from "./quiet.ts";
import { soak } from "./soak.ts";
import { printTable } from "./table.ts";

const SMALL = 1_000;
const WARM_UP = 10;
/** Median of the large over median of the small. */
const MOST = 1.3;
/** Who attach one tag at once. */
const CLAIMANTS = 40;

interface Place {
  readonly size: number;
  readonly server: Server;
  /** Milliseconds, by request. */
  readonly times: Map<string, number[]>;
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
      places.push({ size, server, times: new Map() });
    }
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      if (round === WARM_UP) for (const { times } of places) times.clear();
      for (const place of round % 2 === 0 ? places : places.toReversed()) await playRound(place);
    }
    const isOne = await attachAtOnce(places[1] as Place, parallel);
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

/** Both tags, one of them taken over by a custody proof; each cleared after the session was refreshed. */
async function playRound({ server, times }: Place): Promise<void> {
  await forgetLoads(server);
  const send: Send = async (url, request) => {
    const name = nameOf(url, request);
    const started = performance.now();
    const answer = await overOpenConnection(() => fetch(url, request));
    const list = times.get(name) ?? [];
    times.set(name, [...list, performance.now() - started]);
    return answer;
  };
  for (const generation of ["2.1", "2.0"] as const)
    await travel(server, {
      generation,
      send,
      isTakenOver: generation === "2.0",
      between: async () => undefined,
    });
}

/** A request that is sent again where the connection closed before its answer, and carried out once. */
function once(url: string, path: string, body: unknown, { headers }: Caller) {
  const keyed = { ...headers, "Idempotency-Key": crypto.randomUUID() };
  return overOpenConnection(() => post(url, path, body, keyed));
}

/** So many attachments of one tag that nobody is entitled to: one guest locks it, all others are refused. */
async function attachAtOnce({ server, size }: Place, parallel: number): Promise<boolean> {
  const { url, database } = server;
  const guests: Caller[] = [];
  for (let n = 0; n < CLAIMANTS; n += 1) guests.push(await Caller.guest(url));
  const attachment = { device: { uniqueID: "at-once" }, baggageId: 1 };
  const asked = Array.from({ length: parallel }, async (_, n) => {
    const { status, body } = await once(
      url,
      "/v2/device-attachments",
      attachment,
      guests[n % CLAIMANTS] as Caller,
    );
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
  const rows = [...(small?.times.keys() ?? [])].map((name) => {
    const [less, more] = [median(small?.times.get(name) ?? []), median(large?.times.get(name) ?? [])];
    return { name, less, more, ratio: more / less };
  });
  printTable(
    `Median in ms of the requests of ${rounds} rounds, over HTTP on this machine`,
    rows.map(({ name, less, more, ratio }) => ({
      request: name,
      [`${small?.size} rows`]: less.toFixed(1),
      [`${large?.size} rows`]: more.toFixed(1),
      ratio: ratio.toFixed(2),
      goal: `≤ ${MOST}`,
      met: ratio <= MOST ? "yes" : "NO",
    })),
  );
  return rows.every(({ ratio }) => ratio <= MOST);
}
