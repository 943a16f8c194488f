import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { startWithTwoGuests } from "../test-support/clean-tags.ts";
import type { TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** What a caller's own list reads must not depend on the bookings of other callers. */

const FOREIGN = 5_000;
const MOST_MORE = 20;

const numbers = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${FOREIGN}) select i from n)`;

/** Live bookings of other callers: one passenger each, loaded. */
const addForeignBookings = (endsAt: number) =>
  env.DB.batch(
    [
      `insert into travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)
        select 'f' || i, 'SK', 'f' || i, 'sealed', '2026-01-01', ${endsAt} from ${numbers}`,
      `insert into journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport,
        destination_airport) select 'f' || i, 'f' || i, 'sealed', 'tokens', 'L', 'OSL', 'ARN' from ${numbers}`,
      `insert into loaded_plans (sub, plan_id, loaded_at) select 's' || i, 'f' || i, 0 from ${numbers}`,
    ].map((text) => env.DB.prepare(text)),
  );

async function rowsRead({ log }: TestService, session: TestSession): Promise<number> {
  const answer = await session.call("journeys", {});
  expect(answer.status).toBe(200);
  return Number(log.at(-1)?.rowsRead);
}

it(`a caller's list reads at most ${MOST_MORE} rows more beside ${FOREIGN} foreign bookings`, async () => {
  const { service, guest } = await startWithTwoGuests();
  await rowsRead(service, guest);
  const alone = await rowsRead(service, guest);
  await addForeignBookings(service.now() + 86_400_000);
  expect((await rowsRead(service, guest)) - alone).toBeLessThanOrEqual(MOST_MORE);
});
