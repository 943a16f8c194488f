/** A database with as many tags, locks and sessions as a busy airline leaves in it. */
import type { D1Database } from "@cloudflare/workers-types";

/** Rows per statement: D1 caps what one may take. */
const CHUNK = 50_000;
const DAY = 86_400_000;

/** Tables in the order their references need; `n` counts the rows of a chunk from its first. */
const TABLES: readonly { readonly name: string; readonly columns: string; readonly values: string }[] = [
  {
    name: "travel_plans",
    columns: "id, airline, locator_hash, locator_sealed, first_flight_date, ends_at",
    values: "'crowd-plan-' || n, 'SK', 'crowd-hash-' || n, 'sealed', '2030-01-01', ?3 + n",
  },
  {
    name: "devices",
    columns: "id, label, registered_at",
    values: "'crowd-' || n, 'crowd-' || n, ?3",
  },
  {
    name: "device_ticket_locks",
    columns:
      "device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, request_id",
    values:
      "'crowd-' || n, 'crowd-plan-' || n, 'crowd-journey-' || n, n + 1000, 1, 'crowd-sub-' || n, 'crowd-sub-' || n, ?3, ?3 + n, 'request-' || n",
  },
  {
    name: "sessions",
    columns:
      "id, sub, client_id, client_bound, method, evidence, scopes, airlines, refresh_counter, refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at",
    values: `'crowd-session-' || n, 'crowd-sub-' || n, (select id from clients limit 1), 1, 'guest', 'none', '["tag:read"]', '[]', 0, 'hash', ?3, ?3 + n, ?3, ?3 + n`,
  },
];

/** Adds `size` rows to each of the tables that grow with use; `now` in milliseconds. */
export async function addCrowd(database: D1Database, size: number, now: number): Promise<void> {
  for (const { name, columns, values } of TABLES) {
    const insert = database.prepare(
      `with recursive numbers(n) as (select ?1 union all select n + 1 from numbers where n + 1 < ?2)
       insert into ${name} (${columns}) select ${values} from numbers`,
    );
    for (let from = 0; from < size; from += CHUNK) {
      await insert.bind(from, Math.min(size, from + CHUNK), now + DAY).run();
    }
  }
}
