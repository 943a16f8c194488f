/** A database with as many rows in every table that grows with use as a busy airline leaves in it. */
import type { D1Database } from "@cloudflare/workers-types";
import { overOpenConnection } from "../serve/server.ts";

/** Rows per statement: D1 caps what one may take. */
const CHUNK = 50_000;
const DAY = 86_400_000;

/** As long as sealed names and the tokens of a surname are. */
const SEALED = "hex(zeroblob(60))";
const TOKENS = "hex(zeroblob(256))";
const CLIENT = "(select id from clients limit 1)";

/** By table, in the order their references need: columns and values; `n` counts rows, `?3` is tomorrow. */
const TABLES: Readonly<Record<string, readonly [columns: string, values: string]>> = {
  travel_plans: [
    "id, airline, locator_hash, locator_sealed, first_flight_date, ends_at",
    `'crowd-plan-' || n, 'SK', 'crowd-hash-' || n, ${SEALED}, '2030-01-01', ?3 + n`,
  ],
  journeys: [
    "id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport, destination_airport",
    `'crowd-journey-' || n, 'crowd-plan-' || n, ${SEALED}, ${TOKENS}, 'A', 'OSL', 'LHR'`,
  ],
  flights: [
    "journey_id, position, carrier, number, date, from_airport, to_airport",
    "'crowd-journey-' || n, 1, 'SK', '1234', '2030-01-01', 'OSL', 'LHR'",
  ],
  bags: [
    "id, journey_id, position, licence_plate, flight_date",
    "n + 1000, 'crowd-journey-' || n, 1, 'crowd-' || n, '2030-01-01'",
  ],
  loaded_plans: ["sub, plan_id, loaded_at", "'crowd-sub-' || n, 'crowd-plan-' || n, ?3"],
  devices: ["id, label, registered_at, review_at", "'crowd-' || n, 'crowd-' || n, ?3, ?3 + n"],
  device_aliases: ["alias, device_id", "'hw:' || printf('%012x', n), 'crowd-' || n"],
  device_ticket_locks: [
    "device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, request_id",
    "'crowd-' || n, 'crowd-plan-' || n, 'crowd-journey-' || n, n + 1000, 1, 'crowd-sub-' || n, 'crowd-sub-' || n, ?3, ?3 + n, 'request-' || n",
  ],
  sessions: [
    "id, sub, client_id, client_bound, method, evidence, scopes, airlines, refresh_counter, refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at",
    `'crowd-session-' || n, 'crowd-sub-' || n, ${CLIENT}, 1, 'guest', 'none', '["tag:read"]', '[]', 0, 'hash', ?3, ?3 + n, ?3, ?3 + n`,
  ],
  certificates: [
    "session_id, serial, sub, client_id, spki_hash, issued_at, expires_at",
    `'crowd-session-' || n, 'serial', 'crowd-sub-' || n, ${CLIENT}, 'hash-' || n, ?3, ?3 + n`,
  ],
  attestation_credentials: [
    "client_id, format, id, public_key, counter, transports, sub, created_at, used_at, request_id",
    `${CLIENT}, 'webauthn', 'crowd-' || n, ${SEALED}, 0, '[]', 'crowd-sub-' || n, ?3, ?3 + n, 'request-' || n`,
  ],
  revoked_keys: ["spki_hash, revoked_at", "'crowd-' || n, ?3"],
  used_once: ["ends_at, hash", "?3 + n, 'crowd-' || n"],
  idempotency_records: [
    "day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at",
    "?3 / 86400000, 'crowd-sub-' || n, 'deviceAttachment', 'crowd-' || n, 'hash', 'ok', '{}', ?3, ?3 + n",
  ],
  guess_counters: ["key, count, ends_at, request_id", "'attach:crowd-sub-' || n, 1, ?3 + n, 'request-' || n"],
  failed_proofs: ["device_id, failures, last_failed_at, ends_at", "'crowd-' || n, 1, ?3, ?3 + n"],
  audit_log: [
    "at, event, request_id, sub, client_id, airline, device_id",
    `?3, 'tag_attached', 'request-' || n, 'crowd-sub-' || n, ${CLIENT}, 'SK', 'crowd-' || n`,
  ],
};

/** Adds `size` rows to each of them; `now` in milliseconds. */
export async function addCrowd(database: D1Database, size: number, now: number): Promise<void> {
  for (const [name, [columns, values]] of Object.entries(TABLES)) {
    // Asked again where the answer was lost: what is there stays.
    const insert = database.prepare(
      `with recursive numbers(n) as (select ?1 union all select n + 1 from numbers where n + 1 < ?2)
       insert or ignore into ${name} (${columns}) select ${values} from numbers where ?3 > 0`,
    );
    for (let from = 0; from < size; from += CHUNK) {
      const chunk = insert.bind(from, Math.min(size, from + CHUNK), now + DAY);
      await overOpenConnection(() => chunk.run());
    }
  }
}
