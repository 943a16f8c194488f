/** Passengers at once: attachments in the same moment, and journeys without a pause. */
import { readFileSync } from "node:fs";
import { ADA, JUERGEN } from "../drivers/passenger.ts";
import { newTag } from "../drivers/tag-factory.ts";
import { atMost, type Goal, printTable, sum } from "./harness.ts";
import { type Booking, forgetLoads, Passenger, type Send, travel } from "./passenger.ts";
import { type Side, toAll, withSides } from "./sides.ts";

const ATTACHMENTS = "/v2/device-attachments";

const CASES = [
  { what: "a tag each, one booking", isOneTag: false, bookings: [ADA] },
  { what: "one tag, one booking", isOneTag: true, bookings: [ADA] },
  { what: "one tag, two bookings", isOneTag: true, bookings: [ADA, JUERGEN] },
] as const;

/** Prints how `passengers` at once fare; a tag has one lock whatever they do. */
export const benchParallel = (passengers: number): Promise<readonly Goal[]> =>
  withSides(["service"], async ([side]) => {
    const results = [];
    for (const one of CASES) results.push({ ...one, ...(await attachAtOnce(side as Side, one, passengers)) });
    printTable(
      `${passengers} attachments at once`,
      results.map(({ what, statuses, calls, again, milliseconds }) => ({
        of: what,
        answers: [...Map.groupBy(statuses, String)]
          .map(([status, all]) => `${all.length} × ${status}`)
          .join(", "),
        calls,
        "of them again": again,
        milliseconds: Math.round(milliseconds),
      })),
    );
    return results.map(({ what, isOneTag, locks }) => {
      const wanted = isOneTag ? 1 : passengers;
      return { what: `${what}: locks`, goal: `${wanted}`, figure: `${locks}`, met: locks === wanted };
    });
  });

async function attachAtOnce(
  side: Side,
  { isOneTag, bookings }: { readonly isOneTag: boolean; readonly bookings: readonly Booking[] },
  passengers: number,
) {
  const { server, took, lines } = side;
  const shared = `at-once-${crypto.randomUUID().slice(0, 8)}`;
  const ids = Array.from({ length: passengers }, (_, n) => (isOneTag ? shared : `${shared}-${n}`));
  const tags = await Promise.all(ids.map((id) => newTag(server.url, "2.0", { displayMs: 1, id })));
  took.length = lines.length = 0;
  const gate = gateFor(passengers);
  const send: Send = async (url, request) => {
    if (url.endsWith(ATTACHMENTS)) await gate();
    return toAll([side])(url, request);
  };
  // The SDK's refusals are what is counted.
  const written = tags.map((tag, n) =>
    new Passenger(server.url, tag, send).write(bookings[n % bookings.length] ?? ADA).catch(gate),
  );
  await Promise.all(written);
  const answers = took.filter(({ name }) => name === ATTACHMENTS);
  const logged = lines.filter(({ route }) => route === ATTACHMENTS);
  const { results } = await server.database
    .prepare("select 1 from device_ticket_locks where device_id like ?")
    .bind(`${shared}%`)
    .all();
  return {
    statuses: answers.map(({ status }) => status),
    calls: sum(logged.map(({ calls }) => calls)),
    again: sum(logged.map(({ again = 0 }) => again)),
    milliseconds: Math.max(...answers.map(({ time }) => time)),
    locks: results.length,
  };
}

/** Holds each caller until `count` of them are there. */
function gateFor(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting >= count) resolve();
    return promise;
  };
}

const PASSENGERS = 16;
/** Longer than a journey takes. */
const MINUTE = 60_000;
/** The memory at the end over that after a fifth of the time, or as much as the floor's, whose growth is the runtime's. */
const MOST_GROWTH = 1.2;
const WARM_SHARE = 0.2;

/** Prints the memory of both after so many seconds. */
export const benchSoak = (seconds: number): Promise<readonly Goal[]> =>
  withSides(["service", "floor"], async (sides) => {
    const [began, until] = [Date.now(), Date.now() + seconds * 1_000];
    const seen: { readonly at: number; readonly memory: readonly number[] }[] = [];
    const live = async (n: number) => {
      while (Date.now() < until) {
        const generation = n % 2 === 0 ? "2.1" : "2.0";
        await travel((sides as [Side, Side])[0].server, { generation, send: toAll(sides) });
        for (const { server, took, lines } of sides) {
          await forgetLoads(server, Date.now() - MINUTE);
          took.length = lines.length = 0;
        }
        seen.push({ at: Date.now() - began, memory: sides.map(memoryOf) });
      }
    };
    await Promise.all(Array.from({ length: PASSENGERS }, (_, n) => live(n)));
    const warm = seen.find(({ at }) => at >= seconds * 1_000 * WARM_SHARE)?.memory ?? [];
    const end = sides.map(memoryOf);
    const growth = end.map((now, side) => now / (warm[side] ?? Number.NaN));
    printTable(
      `${seen.length} journeys in ${seconds} s, ${PASSENGERS} at once: the memory of workerd, in MB`,
      ["service", "floor"].map((side, at) => ({
        side,
        "after a fifth": Math.round(warm[at] ?? Number.NaN),
        most: Math.round(Math.max(...seen.map(({ memory }) => memory[at] ?? 0))),
        "at the end": Math.round(end[at] ?? Number.NaN),
      })),
    );
    const [ours = Number.NaN, floors = Number.NaN] = growth;
    return [atMost("growth of workerd's memory", ours, Math.max(MOST_GROWTH, Number(floors.toFixed(2))), 2)];
  });

/** Resident, in MB. */
const memoryOf = ({ pid }: Side): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000;
