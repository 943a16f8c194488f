/**
 * Rows of other callers who fly with `airline`, all of them live: a booking each, loaded and delegated, with a
 * bag whose tag is locked, lost and found, and their other rows.
 */

/** Where the numbers of an airline's bags begin. */
const BAGS = { SK: 1_100_000, LH: 1_200_000 } as const;

/** The ids of the rows. */
const numbers = (airline: Airline, count: number) =>
  `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i, '${airline}-' || i as id from n)`;

const tablesOf = (airline: Airline, now: number, ends: number) => ({
  "travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)": `id, '${airline}', id, 'sealed', '2026-01-01', ${ends}`,
  "journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport, destination_airport)":
    "id, id, 'sealed', 'tokens', 'L', 'OSL', 'ARN'",
  "flights (journey_id, position, carrier, number, date, from_airport, to_airport)": `id, 0, '${airline}', '1', '2026-01-01', 'OSL', 'ARN'`,
  "bags (id, journey_id, position, licence_plate, flight_date)": `${BAGS[airline]} + i, id, 1, '0220' || substr(${BAGS[airline]} + i, -6), '2026-01-01'`,
  "loaded_plans (sub, plan_id, loaded_at)": `id, id, ${now}`,
  "delegations (id, plan_id, holder_sub, delegate_sub, code_hash, ends_at)": `id, id, id, id || '-delegate', id, ${ends}`,
  "devices (id, label, registered_at, review_at, entitled_at)": `id, id, ${now}, ${ends}, ${now}`,
  "device_aliases (alias, device_id)": "id || '-alias', id",
  "device_ticket_locks (device_id, plan_id, airline, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, lost_at, found_at, request_id)": `id, id, '${airline}', id, ${BAGS[airline]} + i, 1, id, id, ${now}, ${ends}, ${now}, ${now} + i, id`,
  "found_reports (device_id, lock_request_id, reported_at, request_id, said_sealed, source)": `id, id, ${now}, id, 'sealed', id`,
  "location_links (device_id, lock_request_id, link_sealed, host, added_at)": `id, id, 'sealed', 'host', ${now}`,
  "push_endpoints (device_id, lock_request_id, holder_sub, endpoint_sealed)": "id, id, id, 'sealed'",
  "clear_marks (device_id, sub, plan_id, cti, cleared_at, ends_at)": `id, id, id, '00', ${now}, ${ends}`,
  "failed_proofs (device_id, failures, last_failed_at, ends_at)": `id, 1, ${now}, ${ends}`,
  "guess_counters (key, count, ends_at, request_id)": `id, 1, ${ends}, id`,
  "sessions (id, sub, client_id, client_bound, method, evidence, scopes, airlines, refresh_counter, refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at)": `id, id, 'client-kiosk', 1, 'guest', 'none', '[]', '[]', 0, id, ${now}, ${ends}, ${now}, ${ends}`,
  "certificates (session_id, serial, sub, client_id, spki_hash, issued_at, expires_at)": `id, id, id, 'client-kiosk', id, ${now}, ${ends}`,
  "attestation_credentials (client_id, format, id, public_key, counter, transports, sub, created_at, used_at, request_id)": `'client-kiosk', 'webauthn', id, 'key', 0, '[]', id, ${now}, ${ends}, id`,
  "idempotency_records (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)": `${ends} / 86400000, id, 'unlock', id, id, 'ok', '{}', ${now}, ${ends}`,
  "used_once (ends_at, hash)": `${ends}, id`,
  "audit_log (at, event, request_id, airline, device_id)": `${now}, 'attached', id, '${airline}', id`,
});

type Airline = keyof typeof BAGS;

/** SQL statements that add `count` rows to each table; `now` in milliseconds since 1970. */
export const foreignRows = (airline: Airline, count: number, now: number): readonly string[] =>
  Object.entries(tablesOf(airline, now, now + 30 * 86_400_000)).map(
    ([table, values]) => `insert into ${table} select ${values} from ${numbers(airline, count)}`,
  );
