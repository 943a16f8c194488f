/**
 * Endpoints 8 to 12 on a small and on a crowded database, side by side in one run: what a request costs must not
 * grow with the tables. Each step is taken on both, in turn, so that a busy machine slows both alike.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { Caller } from "../../e2e/support/caller.ts";
import { startServer } from "../serve/server.ts";
import { addCrowd } from "./crowd.ts";
import { median } from "./median.ts";
import { printTable } from "./table.ts";

/** Of the development data. */
const BOOKING = { recordLocator: "ABC123", surname: "LOVELACE" };
const baggageId = 1;

const SMALL = 1_000;
const LARGE = 1_000_000;
const ROUNDS = 150;
const WARM_UP = 15;
/** Median of the large over median of the small. */
const MOST = 1.3;

/** One tag's life: written, looked up, cleared, written again, taken over by a custody proof. */
const STEPS = ["8 authorize", "9 attach", "10 look up", "12 unlock", "9 attach again", "11 prove"] as const;
type Step = (typeof STEPS)[number];

interface Place {
  readonly size: number;
  readonly passenger: Caller;
  readonly other: Caller;
  readonly times: Record<Step, number[]>;
}

/** Prints the medians; resolves with whether every ratio is within its goal. */
export async function benchScale(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-scale-"));
  const servers = [];
  try {
    const places: Place[] = [];
    for (const size of [SMALL, LARGE]) {
      const server = await startServer({ port: 0, stateDir: join(folder, `${size}`) });
      servers.push(server);
      const started = performance.now();
      await addCrowd(server.database, size, Date.now());
      const seconds = Math.round((performance.now() - started) / 1_000);
      console.log(
        `${size} tags, locks and sessions: ${await megabytes(server.database)} MB, in ${seconds} s`,
      );
      places.push(await placeAt(server.url, size));
    }
    for (let round = -WARM_UP; round < ROUNDS; round += 1) await playRound(places, round);
    return report(places);
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function megabytes(database: D1Database): Promise<number> {
  const { meta } = await database.prepare("select 1").all();
  return Math.round(meta.size_after / 1_000_000);
}

async function placeAt(url: string, size: number): Promise<Place> {
  const [passenger, other] = [await Caller.guest(url), await Caller.guest(url)];
  const times = Object.fromEntries(STEPS.map((step) => [step, [] as number[]])) as Place["times"];
  return { size, passenger, other, times };
}

/** Every step on both databases, beginning with another one each round. */
async function playRound(places: readonly Place[], round: number): Promise<void> {
  const device = `scale-${round + WARM_UP}`;
  const inTurn = round % 2 === 0 ? places : places.toReversed();
  for (const step of STEPS) {
    for (const place of inTurn) {
      const started = performance.now();
      await take(place, step, device);
      if (round >= 0) place.times[step].push(performance.now() - started);
    }
  }
}

async function take({ passenger, other }: Place, step: Step, uniqueDeviceId: string): Promise<void> {
  const attachment = { device: { uniqueID: uniqueDeviceId }, baggageId };
  const calls: Record<Step, () => Promise<{ status: number; body: unknown }>> = {
    "8 authorize": () =>
      passenger.post("/v2/ebt-authorizations", { uniqueDeviceId, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "9 attach": () => passenger.post("/v2/device-attachments", attachment),
    "10 look up": () => passenger.post("/v2/ebt-lookups", { uniqueDeviceId }),
    "12 unlock": () => passenger.post("/v2/ebt-unlocks", { uniqueDeviceId }),
    "9 attach again": () => passenger.post("/v2/device-attachments", attachment),
    "11 prove": () => other.post("/v2/ebt-custody-proofs", { uniqueDeviceId, ...BOOKING }),
  };
  const { status, body } = await calls[step]();
  if (status !== 200) throw new Error(`${step}: ${JSON.stringify(body)}`);
}

function report([small, large]: readonly Place[]): boolean {
  const rows = STEPS.map((step) => {
    const [less, more] = [median(small?.times[step] ?? []), median(large?.times[step] ?? [])];
    return { step, less, more, ratio: more / less };
  });
  printTable(
    `Median of ${ROUNDS} requests in ms, over HTTP on this machine`,
    rows.map(({ step, less, more, ratio }) => ({
      endpoint: step,
      [`${SMALL} rows`]: less.toFixed(1),
      [`${LARGE} rows`]: more.toFixed(1),
      ratio: ratio.toFixed(2),
      goal: `≤ ${MOST}`,
      met: ratio <= MOST ? "yes" : "NO",
    })),
  );
  return rows.every(({ ratio }) => ratio <= MOST);
}
