import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog } from "../../db/schema.ts";
import { appointed } from "../test-support/delegating.ts";
import {
  ADA,
  guestSession,
  staffSession,
  subOf,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { startClean, type TestService } from "../test-support/service.ts";

/** What a journey says of a tag that was taken from a bag (rules §4). */

const TAG = "ebt-21-0001";

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  service = await startClean();
  [guest, stranger] = await Promise.all([guestSession(service), guestSession(service)]);
  guest = await withBookings(service, guest);
});

const attach = (session = guest, baggageId = 1, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId });
const prove = (uniqueDeviceId = TAG) => stranger.call("ebtCustodyProof", { uniqueDeviceId, ...ADA });
const release = async () =>
  (await staffSession(service)).call("lockRelease", { uniqueDeviceId: TAG, reason: "left behind" });
/** Why and when the newest lock of a bag ended. */
async function endOf(baggageId = 1, session = guest) {
  const { body } = await session.call("journeys", {});
  const bags = body.journeys.flatMap(({ baggage }: { baggage: object[] }) => baggage);
  return bags.find((bag: { baggageId: number }) => bag.baggageId === baggageId)?.lockEnded;
}

describe("a bag whose lock ended", () => {
  it.each([
    ["by another person's proof", prove, "proof"],
    ["by staff", release, "staff"],
  ] as const)("%s says why, when and on which tag, and not by whom", async (_, end, reason) => {
    await attach();
    expect((await end()).status).toBe(200);
    const at = new Date(service.now()).toISOString();
    expect(await endOf()).toEqual({ reason, at, uniqueDeviceId: TAG });
  });

  it("says so where its booking had more tags than its bags need", async () => {
    await attach();
    service.advance(1);
    for (let n = 1; n <= 8; n += 1) await attach(guest, 2, `another-${n}`);
    expect(await endOf()).toMatchObject({ reason: "displaced", uniqueDeviceId: TAG });
  });

  it("says so although another booking has locked the tag and cleared it since", async () => {
    await attach();
    await prove();
    await attach(guest, 3);
    await guest.call("ebtUnlock", { uniqueDeviceId: TAG });
    expect(await endOf()).toMatchObject({ reason: "proof" });
    expect(await endOf(3)).toBeUndefined();
  });
});

describe("nothing is said", () => {
  it("of a lock that its holder ended, or moved to another booking", async () => {
    await attach();
    await guest.call("ebtUnlock", { uniqueDeviceId: TAG });
    expect(await endOf()).toBeUndefined();
    await attach();
    await attach(guest, 3);
    expect(await endOf()).toBeUndefined();
  });

  it("to a delegate", async () => {
    await attach();
    await appointed(stranger, guest);
    await prove();
    expect(await endOf(1, stranger)).toBeUndefined();
    expect(await endOf()).toMatchObject({ reason: "proof" });
  });

  it("of claims: a stranger's neither ends nor hides anything", async () => {
    await attach(stranger);
    await guest.call("ebtUnlock", { uniqueDeviceId: TAG });
    expect(await endOf()).toBeUndefined();
    await attach();
    await prove();
    await attach(stranger, 1, "ebt-21-0002");
    expect(await endOf()).toMatchObject({ reason: "proof" });
  });
});

it("reads one row of the log for a bag, whatever else happened to it", async () => {
  await attach();
  await prove();
  const rowsRead = async () => {
    await guest.call("journeys", {});
    return Number(service.log.at(-1)?.rowsRead);
  };
  await rowsRead();
  const before = await rowsRead();
  const row = { at: service.now(), requestId: "r", baggageId: 1, deviceId: TAG };
  const failed = Array.from({ length: 12 }, () => ({
    ...row,
    event: "custody_proof_failed",
    evidence: "entitled" as const,
  }));
  await service.db.insert(auditLog).values(failed);
  expect(await rowsRead()).toBe(before);
});

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
  await addGroup(subOf(stranger), service.now() + 86_400_000);
  const rows = await rowsRead(service, stranger);
  console.log(`rows read for a group of 99: ${rows}`);
  expect(rows).toBeLessThanOrEqual(1_846);
});
