import { eq } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import {
  crowdOfGuests,
  guestSession,
  staffSession,
  subOf,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

type LockRow = typeof deviceTicketLocks.$inferSelect;

let service: TestService;
let guest: TestSession;
const inProduction = async (vars: Record<string, unknown> = {}) => {
  service = await startClean({ ENVIRONMENT: "production", ...vars });
  guest = await withBookings(service, await guestSession(service));
};
beforeEach(() => inProduction());

const attach = (session: TestSession, uniqueID: string, baggageId = 1, headers = {}) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId }, headers);

async function expectTooMany(
  session: TestSession,
  uniqueID: string,
  { baggageId = 1, retryAfter = "60", headers = {} } = {},
): Promise<void> {
  const answer = await attach(session, uniqueID, baggageId, headers);
  expectError(answer, "too_many_requests");
  expect(answer.headers.get("Retry-After")).toBe(retryAfter);
}

it("a passenger may attach so often an hour, others as often", async () => {
  await inProduction({ ATTACHMENTS_PER_SUBJECT_PER_HOUR: "3" });
  for (let i = 0; i < 3; i++) expect((await attach(guest, "one-tag", (i % 2) + 1)).status).toBe(200);
  await expectTooMany(guest, "one-tag", { retryAfter: "3600" });
  expect((await attach(await guestSession(service), "another-tag")).status).toBe(200);
  service.advance(3_600);
  expect((await attach(await guestSession(service, { app: guest.app }), "one-tag")).status).toBe(200);
});

it("a passenger may hold 20 tags, and attach those again", async () => {
  await inProduction({ LIVE_LOCKS_PER_SUBJECT: "3" });
  for (let i = 0; i < 3; i++) expect((await attach(guest, `tag-${i}`)).status).toBe(200);
  await expectTooMany(guest, "tag-3");
  expect((await attach(guest, "tag-2", 2)).status).toBe(200);
  await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
  expect((await attach(guest, "tag-3")).status).toBe(200);
});

it.each<[string, Partial<LockRow>, (caller: string) => Partial<LockRow>, string]>([
  ["its oldest lock", {}, () => ({}), "old"],
  ["rather one without a proof", { commits: 1 }, () => ({}), "new"],
  ["rather one that the caller attached", {}, (caller) => ({ commits: 1, writerSub: caller }), "new"],
  ["a lost one last", { lostAt: 1 }, () => ({ commits: 1 }), "new"],
  ["none where one is over", { endsAt: 1 }, () => ({}), "none"],
])("a full booking loses for one more %s", async (_, old, another, gone) => {
  await inProduction({ LOCKS_PER_BAG: "1" });
  const owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  await attach(owner, "old");
  service.advance(1);
  await attach(owner, "new", 2);
  const change = (id: string, fields: Partial<LockRow>) =>
    service.db
      .update(deviceTicketLocks)
      .set({ mutedAt: null, ...fields })
      .where(eq(deviceTicketLocks.deviceId, id));
  await change("old", old);
  await change("new", another(subOf(guest)));
  expect((await attach(guest, "third")).status).toBe(200);
  const left = (await service.db.select().from(deviceTicketLocks)).map(({ deviceId }) => deviceId);
  expect(left.sort()).toEqual(["new", "old", "third"].filter((id) => id !== gone));
});

it("a caller over the cap may send the same request again once they have fewer locks", async () => {
  await inProduction({ LIVE_LOCKS_PER_SUBJECT: "1" });
  await attach(guest, "tag-1");
  const key = { "Idempotency-Key": "the second" };
  expectError(await attach(guest, "tag-2", 2, key), "too_many_requests");
  await guest.call("ebtUnlock", { uniqueDeviceId: "tag-1" });
  expect((await attach(guest, "tag-2", 2, key)).status).toBe(200);
});

it("a stranger locks ten tags they never had in hand at once, and thirty an hour from one network", async () => {
  const codes: number[] = [];
  for (const [who, session] of (await crowdOfGuests(service, 4)).entries()) {
    for (let i = 0; i < 11; i++) codes.push((await attach(session, `swept-${who}-${i}`, 3)).status);
  }
  // Ten and ten; the two that were refused for their live claims count for the network, too.
  expect(codes.filter((code) => code === 200)).toHaveLength(28);
  expect(await service.db.$count(deviceTicketLocks)).toBe(28);
});

it("releases of other airlines' locks end after ten a day, and never keep an account from its own airline's", async () => {
  await inProduction({ FOREIGN_RELEASES_PER_DAY: "2" });
  const staff = await staffSession(service);
  const release = (uniqueDeviceId: string) =>
    staff.call("lockRelease", { uniqueDeviceId, reason: "in hand" });
  for (const id of ["other-1", "other-2", "other-3"]) await attach(guest, id, 3);
  for (const id of ["other-1", "other-2"]) expect((await release(id)).status).toBe(200);
  for (let i = 0; i < 2; i++) {
    const answer = await release("other-3");
    expectError(answer, "too_many_requests");
    expect(answer.headers.get("Retry-After")).toBe("86400");
  }
  await attach(guest, "own");
  expect((await release("own")).status).toBe(200);
  expect(await service.db.select().from(deviceTicketLocks)).toMatchObject([{ deviceId: "other-3" }]);
  // Another account has its own ten.
  const counted = await service.db.select().from(guessCounters);
  expect(counted.map(({ key }) => key)).toContain(`release:${subOf(staff)}`);
});

it("staff have no limits, nor has any caller in development", async () => {
  const none = { ATTACHMENTS_PER_SUBJECT_PER_HOUR: "0", LIVE_LOCKS_PER_SUBJECT: "0" };
  await inProduction(none);
  expect((await attach(await staffSession(service), "tag")).status).toBe(200);
  await expectTooMany(guest, "tag-2", { retryAfter: "3600" });
  await inProduction({ ...none, ENVIRONMENT: "development" });
  expect((await attach(guest, "tag-2")).status).toBe(200);
});

it("a booking with 200 locks is read lock by lock, not 200 times over", async () => {
  await service.db.run(
    `insert into devices (id, label, registered_at, spent_commits) select 'of-group-' || value, 'x', 0, 0
      from json_each('${JSON.stringify(Array.from({ length: 200 }, (_, i) => i))}')`,
  );
  await service.db.run(
    `insert into device_ticket_locks (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub,
      locked_at, ends_at, request_id) select devices.id, journeys.plan_id, journeys.id, bags.id, 1, 'of-group', 'of-group',
      0, ${service.now() + 60_000}, 'x' from devices, bags inner join journeys on journeys.id = bags.journey_id
      where devices.id like 'of-group-%' and bags.id = 1`,
  );
  expect((await attach(guest, "one-more")).status).toBe(200);
  expect(Number(service.log.at(-1)?.rowsRead)).toBeLessThan(3_000);
});
