import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { delegations, devices } from "../../db/schema.ts";
import {
  appointed,
  attach,
  claim,
  codeBy,
  decide,
  eventsOf,
  JOURNEY,
  listOf,
  lockOf,
  startWithAda,
  TAG,
  unlock,
} from "../test-support/delegating.ts";
import { ADA, guestSession, subOf, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, type TestService } from "../test-support/service.ts";
import { tokenFor } from "../test-support/signing-tag.ts";

/** What a delegate may do, what a hostile one tries, and how it ends (rules §5, "Delegates"). */

const LINK = "https://share.apple.com/item/4pY1xQz";

let service: TestService;
let ada: TestSession;
let bob: TestSession;
let eve: TestSession;
beforeEach(async () => {
  ({ service, ada, bob, eve } = await startWithAda());
});

/** Bob is Ada's delegate, or the session that is named. */
const appoint = (delegate = bob, holder = ada) => appointed(delegate, holder);

it("a stranger's claim does not keep a delegate from the holder's bag, at endpoints 8, 9 and 10 alike", async () => {
  await appoint();
  await attach(eve, 3);
  const look = async (forBaggageId?: number) =>
    (await bob.call("ebtLookup", { uniqueDeviceId: TAG, forBaggageId })).body;
  expect(await look()).toMatchObject({ locked: true, requiresCustodyProof: true });
  expect(await look(3)).toMatchObject({ locked: true, requiresCustodyProof: true });
  expect(await look(1)).toMatchObject({ locked: false, requiresCustodyProof: false });
  const wanted = { uniqueDeviceId: TAG, nonce: "n", forBaggageId: 1 };
  expect((await bob.call("ebtAuthorization", wanted)).status).toBe(200);
  expect((await attach(bob)).status).toBe(200);
});

describe("a hostile delegate", () => {
  beforeEach(async () => {
    await appoint();
  });

  it("passes nothing on, adds no bag, calls no tag lost and reads no found report", async () => {
    expectError(await bob.call("delegation", { journeyId: JOURNEY }), "journey_not_found");
    expectError(
      await bob.call("baggageTag", {}, {}, `/v2/journeys/${JOURNEY}/baggage-tags`),
      "journey_not_found",
    );
    await attach(bob);
    expectError(await bob.call("deviceLoss", { uniqueDeviceId: TAG, lost: true }), "not_lock_holder");
    expectError(await bob.call("bagTrace", { uniqueDeviceId: TAG }), "not_lock_holder");
    expect((await ada.call("bagTrace", { uniqueDeviceId: TAG })).status).toBe(200);
    expect((await ada.call("deviceLoss", { uniqueDeviceId: TAG, lost: true })).status).toBe(200);
  });

  it("guesses at the booking like a stranger: no counter is theirs to pass by", async () => {
    await attach(ada);
    const guess = () => bob.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...ADA, surname: "BYRON" });
    for (let i = 0; i < 5; i++) expectError(await guess(), "custody_proof_invalid");
    expectError(await guess(), "too_many_attempts");
  });

  it("does not supersede a stranger's claim: another's booking is not their own", async () => {
    await attach(eve, 3);
    expectError(await unlock(bob), "not_lock_holder");
    await withBookings(service, bob, ["demo-plan-2"]);
    expect((await unlock(bob)).status).toBe(200);
  });

  it("sees no report on a tag that they wrote: those are for the holder alone", async () => {
    await attach(bob);
    await ada.call("bagTraceChange", { uniqueDeviceId: TAG, locationLink: LINK });
    await service.post("/v2/found-reports", { uniqueDeviceId: TAG, desk: "4" });
    expectError(await bob.call("bagTrace", { uniqueDeviceId: TAG }), "not_lock_holder");
    for (const change of [{ muted: true }, { locationLink: "" }])
      expectError(await bob.call("bagTraceChange", { uniqueDeviceId: TAG, ...change }), "not_lock_holder");
    expect((await bob.call("journeys")).text).not.toContain("foundAt");
    expect((await ada.call("bagTrace", { uniqueDeviceId: TAG })).body).toMatchObject({
      ...{ muted: false, reports: [{ desk: "4" }], link: { host: "share.apple.com" } },
    });
  });

  it("ends no delegation but their own", async () => {
    const other = await appoint(eve);
    expectError(await decide(bob, other, false), "delegation_ended");
    expect(await listOf(bob)).toHaveLength(1);
    expect(await listOf(ada)).toHaveLength(2);
  });
});

it("a stranger's yes to an active delegation ends no other", async () => {
  const active = await appoint();
  const { code, delegationId } = await codeBy(ada);
  await claim(bob, code);
  expectError(await decide(eve, active), "delegation_ended");
  expect((await decide(bob, active)).body.state).toBe("active");
  const left = (await service.db.select().from(delegations)).map(({ id }) => id);
  expect(left.sort()).toEqual([active, delegationId].sort());
});

describe("the end of a delegation", () => {
  const gone = async (session = bob) => {
    expect((await session.call("journeys")).body.journeys).toEqual([]);
    expectError(await session.call("journey", {}, {}, `/v2/journeys/${JOURNEY}`), "journey_not_found");
    expect(await listOf(session)).toEqual([]);
  };

  it.each([
    ["the holder", () => ada],
    ["the delegate", () => bob],
  ])("by %s takes every right, and both see it", async (_, who) => {
    const id = await appoint();
    await attach(bob);
    expect((await decide(who(), id, false)).body.state).toBe("ended");
    await gone();
    expect(await listOf(ada)).toEqual([]);
    expectError(await unlock(bob), "not_lock_holder");
    expectError(await attach(bob, 2), "device_locked");
    expectError(
      await bob.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", forBaggageId: 1 }),
      "custody_proof_required",
    );
    // What was written stays: the holder's lock.
    expect(await lockOf(service)).toMatchObject({
      entitled: true,
      holderSub: subOf(ada),
      writerSub: subOf(bob),
    });
    expect(await eventsOf(service)).toEqual(["delegate_added", "delegate_removed"]);
    expectError(await decide(who(), id, false), "delegation_ended");
  });

  it("is any other phone's that has loaded the booking, too: the first may have signed out", async () => {
    const id = await appoint();
    await ada.call("logout");
    const second = await guestSession(service);
    await second.call("journeyFromRecordLocator", ADA);
    expect(await listOf(second)).toMatchObject([{ delegationId: id, role: "holder", state: "active" }]);
    expect((await decide(second, id, false)).status).toBe(200);
    await gone();
  });

  it("between token and attachment leaves a claim, which the holder supersedes", async () => {
    const id = await appoint();
    await tokenFor(bob, TAG);
    await decide(ada, id, false);
    expect((await attach(bob)).status).toBe(200);
    expect(await lockOf(service)).toMatchObject({ entitled: false, holderSub: subOf(bob) });
    expect((await attach(ada, 2)).status).toBe(200);
    expect(await lockOf(service)).toMatchObject({ entitled: true, baggageId: 2, holderSub: subOf(ada) });
    expectError(await unlock(bob), "not_lock_holder");
  });

  it("is not got round by an attachment repeated under its key, a refresh, or the last lock's end", async () => {
    const id = await appoint();
    const key = { "Idempotency-Key": "before" };
    await attach(bob, 1, key);
    await decide(ada, id, false);
    await unlock(ada);
    expect((await attach(bob, 1, key)).headers.get("Idempotent-Replayed")).toBe("true");
    expect(await lockOf(service)).toBeUndefined();
    const { lockEnded } = (await bob.call("ebtLookup", { uniqueDeviceId: TAG })).body;
    expect(lockEnded).toBeUndefined();
    const [row] = await service.db.select().from(devices).where(eq(devices.id, TAG));
    expect(row?.endedHolderSub).toBe(subOf(ada));
    const refreshed = await service.call("refresh", { refreshToken: bob.refreshToken });
    const again = { Authorization: `Bearer ${refreshed.body.accessToken}` };
    expect((await bob.call("journeys", {}, again)).body.journeys).toEqual([]);
  });

  it("of a second one for the same phone takes the first with it: there is one for a booking", async () => {
    const first = await appoint();
    const second = await appoint();
    expectError(await decide(ada, first, false), "delegation_ended");
    expect(await listOf(bob)).toHaveLength(1);
    await decide(ada, second, false);
    await gone();
  });

  it("of one of two delegates leaves the other; four is all a booking has", async () => {
    const first = await appoint();
    await appoint(eve);
    await decide(ada, first, false);
    await gone();
    expect((await eve.call("journeys")).body.journeys).toHaveLength(1);
    for (let i = 0; i < 3; i++) await appoint(await guestSession(service));
    expectError(await ada.call("delegation", { journeyId: JOURNEY }), "too_many_requests");
  });
});
