/** Tags' lives without a pause on service and floor at once: what workerd's memory comes to. */
import { readFileSync } from "node:fs";
import { GUESTS, withBoth } from "./floor-sides.ts";
import { ask, type Guest, NAMES, prepare, type Side, STEPS, type Step } from "./floor-steps.ts";
import { printTable } from "./table.ts";

/**
 * The memory at the end over that after a fifth of the time, when every isolate is warm; or as much as the floor's, whose
 * growth is the runtime's and the database's.
 */
const MOST_GROWTH = 1.2;
const WARM_SHARE = 0.2;

interface Soaked {
  readonly name: string;
  readonly requests: number;
  readonly warm: number;
  readonly most: number;
  readonly end: number;
}

/** Prints the memory of both; resolves with whether the service's stays. */
export const soak = (seconds: number): Promise<boolean> =>
  withBoth(async (service, floor, guests) =>
    report(
      seconds,
      await Promise.all([
        soaked("service", service, guests, seconds),
        soaked("floor", floor, guests, seconds),
      ]),
    ),
  );

/** Every guest goes through one tag's life after the other until the time is up. Tokens are the service's, on both sides. */
async function soaked(name: string, side: Side, guests: readonly Guest[], seconds: number): Promise<Soaked> {
  const [began, until] = [Date.now(), Date.now() + seconds * 1_000];
  let requests = 0;
  let [warm, most] = [0, 0];
  const live = async (guest: Guest, n: number) => {
    for (let tag = 0; Date.now() < until; tag += 1) {
      if (name === "service") await guest.renew();
      for (const step of NAMES) {
        const prepared = await prepare(side, STEPS[step] as Step, { guest, tag: `soak-${n}-${tag}` });
        await ask(side, step, prepared);
        requests += 1;
      }
      const memory = memoryOf(side.pid);
      if (warm === 0 && Date.now() >= began + seconds * 1_000 * WARM_SHARE) warm = memory;
      most = Math.max(most, memory);
    }
  };
  await Promise.all(guests.map(live));
  return { name, requests, warm, most, end: memoryOf(side.pid) };
}

/** Resident, in MB. */
function memoryOf(pid: number): number {
  const [, kilobytes = "NaN"] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}

const growthOf = ({ warm, end }: Soaked): number => end / warm;

function report(seconds: number, [service, floor]: readonly [Soaked, Soaked]): boolean {
  const most = Math.max(MOST_GROWTH, growthOf(floor));
  const isMet = growthOf(service) <= most;
  printTable(
    `${seconds} s of ${GUESTS} guests without a pause: the memory of workerd, in MB`,
    [service, floor].map((side) => ({
      side: side.name,
      "requests a second": (side.requests / seconds).toFixed(0),
      "after a fifth": side.warm.toFixed(0),
      most: side.most.toFixed(0),
      "at the end": side.end.toFixed(0),
      growth: growthOf(side).toFixed(2),
      goal: side === service ? `≤ ${most.toFixed(2)}` : "",
      met: side === service ? (isMet ? "yes" : "NO") : "",
    })),
  );
  return isMet;
}
