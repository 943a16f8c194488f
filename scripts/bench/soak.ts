/** Journeys without a pause on service and floor at once: what workerd's memory comes to. */
import { readFileSync } from "node:fs";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { type Side, toBoth, withBoth } from "./floor-sides.ts";
import { forgetLoads, travel } from "./passenger.ts";
import { printTable } from "./table.ts";

const PASSENGERS = 16;
/** Longer than a journey takes. */
const MINUTE = 60_000;
/**
 * The memory at the end over that after a fifth of the time, when every isolate is warm; or as much as the floor's, whose
 * growth is the runtime's and the database's.
 */
const MOST_GROWTH = 1.2;
const WARM_SHARE = 0.2;

interface Soaked {
  readonly name: string;
  readonly warm: number;
  readonly most: number;
  readonly end: number;
}

/** Prints the memory of both; resolves with whether the service's stays. */
export const soak = (seconds: number): Promise<boolean> =>
  withBoth(async (service, floor) => {
    const [began, until] = [Date.now(), Date.now() + seconds * 1_000];
    const sides = { service, floor };
    const seen: { readonly at: number; readonly service: number; readonly floor: number }[] = [];
    const send = toBoth(service, floor);
    let journeys = 0;
    const live = async (generation: GattVersion) => {
      while (Date.now() < until) {
        await travel(service.server, { generation, send });
        journeys += 1;
        for (const { server } of [service, floor]) await forgetLoads(server, Date.now() - MINUTE);
        seen.push({ at: Date.now() - began, service: memoryOf(service), floor: memoryOf(floor) });
      }
    };
    await Promise.all(Array.from({ length: PASSENGERS }, (_, n) => live(n % 2 === 0 ? "2.1" : "2.0")));
    const warm = seen.find(({ at }) => at >= seconds * 1_000 * WARM_SHARE);
    const soaked = (name: keyof typeof sides): Soaked => ({
      name,
      warm: warm?.[name] ?? Number.NaN,
      most: Math.max(...seen.map((one) => one[name])),
      end: memoryOf(sides[name]),
    });
    return report(seconds, journeys, [soaked("service"), soaked("floor")]);
  });

/** Resident, in MB. */
function memoryOf({ pid }: Side): number {
  const [, kilobytes = "NaN"] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}

const growthOf = ({ warm, end }: Soaked): number => end / warm;

function report(seconds: number, journeys: number, [service, floor]: readonly [Soaked, Soaked]): boolean {
  const most = Math.max(MOST_GROWTH, growthOf(floor));
  const isMet = growthOf(service) <= most;
  printTable(
    `${journeys} journeys in ${seconds} s, ${PASSENGERS} at once: the memory of workerd, in MB`,
    [service, floor].map((side) => ({
      side: side.name,
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
