import { readFileSync } from "node:fs";
import type { D1Database } from "@cloudflare/workers-types";
import { overOpenConnection } from "../serve/server.ts";
import { atMost, type Goal, printTable } from "./harness.ts";
import { forgetLoads, travel } from "./passenger.ts";
import { compare } from "./report.ts";
import { type Side, toAll, withSides } from "./sides.ts";

/** The SDK's requests on an almost empty and on a crowded database, in turn: they must not grow with the tables. */

/** Rows per statement: D1 caps what one may take. */
const CHUNK = 50_000;
const SMALL = 1_000;
const WARM_UP = 10;
/** Median of the large over median of the small. */
const MOST = 1.3;

/** Tables that grow with use, and columns that take another value than their kind's. */
const TABLES = [
  ...["travel_plans", "journeys", "flights", "bags", "loaded_plans", "devices", "device_aliases"],
  ...["device_ticket_locks", "clear_marks", "sessions", "certificates", "attestation_credentials"],
  ...["revoked_keys", "used_once", "idempotency_records", "guess_counters", "failed_proofs", "audit_log"],
];
const VALUES: Readonly<Record<string, string>> = {
  client_id: "(select id from clients limit 1)",
  // As long as sealed names and the tokens of a surname are.
  surname_tokens: "hex(zeroblob(256))",
  locator_sealed: "hex(zeroblob(60))",
  passenger_sealed: "hex(zeroblob(60))",
  "attestation_credentials.format": "'webauthn'",
  "idempotency_records.facts": "'{}'",
  scopes: "'[]'",
  airlines: "'[]'",
  transports: "'[]'",
};

/** Prints the ratios of medians with `size` rows in every table. */
export const benchCrowd = (size: number, rounds: number): Promise<readonly Goal[]> =>
  withSides(["service", "service"], async (sides) => {
    const [small, large] = sides as [Side, Side];
    await addCrowd(small.server.database, SMALL);
    await addCrowd(large.server.database, size);
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      if (round === WARM_UP) for (const { took } of sides) took.length = 0;
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await playRound(side);
    }
    return compare(`${size} rows beside ${SMALL}`, large.took, small.took, { most: () => MOST, rounds });
  });

/** Both tags, one of them taken over by a custody proof; each cleared after the session was refreshed. */
async function playRound(side: Side): Promise<void> {
  await forgetLoads(side.server);
  const journey = { send: toAll([side]), between: async () => undefined };
  await travel(side.server, { ...journey, generation: "2.1" });
  await travel(side.server, { ...journey, generation: "2.0", isTakenOver: true });
}

/** Adds `size` rows to each of {@link TABLES}: ids and references are `crowd-` and a number, times are tomorrow. */
async function addCrowd(database: D1Database, size: number): Promise<void> {
  const tomorrow = Date.now() + 86_400_000;
  for (const name of TABLES) {
    const { results } = await database
      .prepare(
        `select name, type from pragma_table_info('${name}') where pk or ("notnull" and dflt_value is null)`,
      )
      .all<Column>();
    const columns = results.map((column) => column.name);
    const values = results.map((column) => sqlOf(name, column));
    // Asked again where the answer was lost: what is there stays.
    const insert = database.prepare(
      `with recursive numbers(n) as (select ?1 union all select n + 1 from numbers where n + 1 < ?2)
       insert or ignore into ${name} (${columns}) select ${values} from numbers where ?3 > 0`,
    );
    for (let from = 0; from < size; from += CHUNK) {
      const chunk = insert.bind(from, Math.min(size, from + CHUNK), tomorrow);
      await overOpenConnection(() => chunk.run());
    }
  }
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** SQL; `n` counts rows, `?3` is tomorrow. */
function sqlOf(table: string, { name, type }: Column): string {
  const known = VALUES[`${table}.${name}`] ?? VALUES[name];
  if (known !== undefined) return known;
  if (type.toLowerCase() !== "integer") return "'crowd-' || n";
  if (name === "day") return "?3 / 86400000";
  if (name.endsWith("id")) return "n + 1000";
  return name.endsWith("_at") ? "?3 + n" : "1";
}

/** Passengers at once, whose journeys follow each other without a pause. */

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
