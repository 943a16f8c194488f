import { beforeEach, describe, expect, it } from "vitest";
import { delegations, deviceTicketLocks, foundReports, locationLinks } from "../../db/schema.ts";
import { appointed, claim, codeBy, decide, startWithAda, TAG } from "../test-support/delegating.ts";
import { expectError } from "../test-support/expect-error.ts";
import type { TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** What delegates and strangers reach by a way round (rules §5, "Delegates"). */

const LINK = "https://share.apple.com/item/4pY1xQz";

let service: TestService;
let ada: TestSession;
let bob: TestSession;
let eve: TestSession;
beforeEach(async () => {
  ({ service, ada, bob, eve } = await startWithAda());
});

const make = () => codeBy(ada);
const attach = (session: TestSession, baggageId = 1, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId });
const lose = (session: TestSession, lost = true) => session.call("deviceLoss", { uniqueDeviceId: TAG, lost });

const appoint = () => appointed(bob, ada);

describe("a tag that its holder calls lost", () => {
  /** Bob attached it; Ada marks it lost and adds a link, and a finder has reported it. */
  beforeEach(async () => {
    await appoint();
    await attach(bob);
    await lose(ada);
    await ada.call("bagTraceChange", { uniqueDeviceId: TAG, locationLink: LINK });
    await service.post("/v2/found-reports", { uniqueDeviceId: TAG, desk: "4" });
  });
  const reports = async () => [
    (await service.db.select().from(deviceTicketLocks)).find(({ deviceId }) => deviceId === TAG)?.lostAt,
    await service.db.$count(foundReports),
    await service.db.$count(locationLinks),
  ];

  it.each([
    ["marking it found", "not_lock_holder", () => lose(bob, false)],
    ["moving it to another bag of the booking", "device_locked", () => attach(bob, 2)],
    ["unlocking it", "not_lock_holder", () => bob.call("ebtUnlock", { uniqueDeviceId: TAG })],
    [
      "writing it",
      "device_lost",
      () => bob.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", forBaggageId: 1 }),
    ],
  ] as const)("stays so, whatever the delegate tries: %s", async (_, code, tries) => {
    const before = await reports();
    expectError(await tries(), code);
    expect(await reports()).toEqual(before);
    expect(before).toEqual([service.now(), 1, 1]);
  });

  it("is the delegate's to write again when its holder has it back", async () => {
    await lose(ada, false);
    expect((await attach(bob, 2)).status).toBe(200);
  });
});

it("the reports on a tag that a delegate wrote are for the holder alone", async () => {
  await appoint();
  await attach(bob);
  await ada.call("bagTraceChange", { uniqueDeviceId: TAG, locationLink: LINK });
  await service.post("/v2/found-reports", { uniqueDeviceId: TAG, desk: "4" });
  expectError(await bob.call("bagTrace", { uniqueDeviceId: TAG }), "not_lock_holder");
  for (const change of [{ muted: true }, { locationLink: "" }])
    expectError(await bob.call("bagTraceChange", { uniqueDeviceId: TAG, ...change }), "not_lock_holder");
  expect((await bob.call("journeys")).text).not.toContain("foundAt");
  expect((await ada.call("bagTrace", { uniqueDeviceId: TAG })).body).toMatchObject({
    muted: false,
    reports: [{ desk: "4" }],
    link: { host: "share.apple.com" },
  });
});

it("a stranger's yes to an active delegation ends no other", async () => {
  const active = await appoint();
  const { code, delegationId } = await make();
  await claim(bob, code);
  expectError(await decide(eve, active), "delegation_ended");
  expect((await decide(bob, active)).body.state).toBe("active");
  expect((await service.db.select().from(delegations)).map(({ id }) => id).sort()).toEqual(
    [active, delegationId].sort(),
  );
});
