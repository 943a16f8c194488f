import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { startWithTwoGuests, subOf, type TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** What a caller's own list reads of a large group: little for each passenger. */

async function rowsRead({ log }: TestService, session: TestSession): Promise<number> {
  const answer = await session.call("journeys", {});
  expect(answer.status).toBe(200);
  return Number(log.at(-1)?.rowsRead);
}

/** A booking of the largest group that an airline may send, a locked bag each, loaded by `sub`. */
const addGroup = (sub: string, endsAt: number, size = 99) =>
  env.DB.batch(
    [
      `insert into travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)
        values ('group', 'SK', 'group', 'sealed', '2026-01-01', ${endsAt})`,
      ...[
        `insert into journeys (id, plan_id, surname_tokens, surname_initial, departure_airport, destination_airport)
          select 'g' || i, 'group', 'tokens', 'L', 'OSL', 'ARN' from n`,
        `insert into flights (journey_id, position, carrier, number, date, from_airport, to_airport)
          select 'g' || i, 0, 'SK', '1', '2026-01-01', 'OSL', 'ARN' from n`,
        `insert into bags (id, journey_id, position, licence_plate, flight_date)
          select 900000 + i, 'g' || i, 1, '0117' || (100000 + i), '2026-01-01' from n`,
        `insert into devices (id, label, registered_at) select 'g' || i, 'g' || i, 0 from n`,
        `insert into device_ticket_locks (device_id, plan_id, airline, journey_id, baggage_id, entitled, holder_sub,
            writer_sub, locked_at, ends_at, request_id)
          select 'g' || i, 'group', 'SK', 'g' || i, 900000 + i, 1, '${sub}', '${sub}', 0, ${endsAt}, 'g' || i from n`,
      ].map(
        (text) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${size}) ${text}`,
      ),
      `insert into loaded_plans (sub, plan_id, loaded_at) values ('${sub}', 'group', 0)`,
    ].map((text) => env.DB.prepare(text)),
  );

it("a group of 99 with a locked bag each reads at most 1,846 rows", async () => {
  const { service, stranger } = await startWithTwoGuests();
  await addGroup(subOf(stranger), service.now() + 86_400_000);
  const rows = await rowsRead(service, stranger);
  console.log(`rows read for a group of 99: ${rows}`);
  expect(rows).toBeLessThanOrEqual(1_846);
});
