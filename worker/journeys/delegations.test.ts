import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { delegations, deviceTicketLocks, guessCounters, loadedPlans, travelPlans } from "../../db/schema.ts";
import {
  appointed,
  claim,
  codeBy,
  decide,
  eventsOf,
  JOURNEY,
  listOf,
  PLAN,
  startWithAda,
  TAG,
} from "../test-support/delegating.ts";
import { guestSession, staffSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, type TestService } from "../test-support/service.ts";
import { drawnDigits } from "./delegations.ts";

/** Another person's phone that writes tags for a booking (rules §5, "Delegates"), and attacks on it. */

const ADA = { recordLocator: "ABC123", surname: "LOVELACE" };
const FULL_VIEW = { recordLocator: "ABC123", passenger: { surname: "LOVELACE" } };

let service: TestService;
let ada: TestSession;
let bob: TestSession;
let eve: TestSession;
beforeEach(async () => {
  ({ service, ada, bob, eve } = await startWithAda());
});

const make = (session = ada) => codeBy(session);

/** Bob is Ada's delegate, or the session that is named. */
const appoint = (delegate = bob, holder = ada) => appointed(delegate, holder);

describe("a delegation", () => {
  it("is made by a code, the same digits on both phones, and a yes from both", async () => {
    const { delegationId, code, expiresAt } = await make();
    expect([code.length, Date.parse(expiresAt) - service.now()]).toEqual([22, 600_000]);
    expect(await listOf(ada)).toMatchObject([{ state: "open", role: "holder", journeyIds: [JOURNEY] }]);
    const { comparison } = (await claim(bob, code)).body;
    expect(comparison).toMatch(/^\d{3}$/);
    expect(await listOf(ada)).toMatchObject([{ state: "claimed", comparison, confirmed: false }]);
    expect((await decide(bob, delegationId)).body.state).toBe("claimed");
    expect((await bob.call("journeys")).body.journeys).toEqual([]);
    expect((await decide(ada, delegationId)).body.state).toBe("active");
    expect(await listOf(bob)).toEqual([
      { delegationId, state: "active", role: "delegate", confirmed: true, journeyIds: [JOURNEY] },
    ]);
    expect((await bob.call("journeys")).body.journeys).toMatchObject([{ journeyId: JOURNEY, delegationId }]);
    expect(await eventsOf(service)).toEqual(["delegate_added"]);
  });

  it("shows the delegate neither locator nor surname, and approves the label without them", async () => {
    await appoint();
    const { text, body } = await bob.call("journeys");
    expect(text).not.toMatch(/ABC123|LOVELACE/i);
    const [journey] = body.journeys;
    expect(journey).toMatchObject({ recordLocator: "A•••••", passenger: { surname: "L." } });
    const label = async (shown: object) =>
      toBase64Url(
        await payloadDigest(
          encodePayload(ticketPayload({ ...journey, ...shown }, journey.baggage[0], { showLocator: false })),
        ),
      );
    const ask = (digest: string) =>
      bob.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", baggageId: 1, payloadDigest: digest });
    expect((await ask(await label({}))).status).toBe(200);
    // A right guess at the name is no better than a wrong one: digests disclose nothing.
    const guessed = await ask(
      await label({ passenger: { givenName: journey.passenger.givenName, surname: "LOVELACE" } }),
    );
    const wrong = await ask(await label({ passenger: { givenName: "EVE", surname: "MARPLE" } }));
    expectError(guessed, "payload_mismatch");
    expect(guessed.text).toBe(wrong.text);
  });

  it("becomes the delegate's own knowledge where they show it, and then outlasts its end", async () => {
    const id = await appoint();
    expect((await bob.call("journeyFromRecordLocator", ADA)).body).toMatchObject(FULL_VIEW);
    await decide(ada, id, false);
    expect((await bob.call("journeys")).body.journeys).toMatchObject([FULL_VIEW]);
  });

  it("of a caller who has loaded the booking already changes nothing of their right", async () => {
    await withBookings(service, bob, [PLAN]);
    const id = await appoint();
    expect((await bob.call("journeys")).body.journeys).toMatchObject([FULL_VIEW]);
    await decide(ada, id, false);
    expect((await bob.call("journeys")).body.journeys).toMatchObject([FULL_VIEW]);
  });

  it("ends with its booking, and a code after ten minutes", async () => {
    await appoint();
    const { code } = await make();
    await changeRow(service.db, travelPlans, PLAN, { endsAt: service.now() });
    expectError(await claim(eve, code), "delegation_ended");
    expect([await listOf(ada), await listOf(bob)]).toEqual([[], []]);
    await service.db.delete(deviceTicketLocks);
    await service.db.delete(travelPlans).where(eq(travelPlans.id, PLAN));
    expect([await service.db.$count(delegations), await service.db.$count(loadedPlans)]).toEqual([0, 0]);
  });

  it("takes one D1 call a request beside the authentication", async () => {
    const id = await appoint();
    await listOf(bob);
    await decide(bob, id, false);
    const calls = service.log.filter(({ route }) => String(route).startsWith("/v2/delegations"));
    expect(calls.map((line) => line.calls)).toEqual(calls.map(() => 2));
  });
});

describe("a code", () => {
  it.each([
    ["is unknown", async (code: string) => code.replace(/^./, (first) => (first === "A" ? "B" : "A"))],
    [
      "is over",
      async (code: string) => {
        service.advance(600);
        return code;
      },
    ],
    [
      "was used and confirmed",
      async (code: string) => {
        const { delegationId } = (await claim(bob, code)).body;
        await decide(bob, delegationId);
        await decide(ada, delegationId);
        return code;
      },
    ],
    [
      "was withdrawn",
      async (code: string) => {
        const [{ delegationId }] = await listOf(ada);
        await decide(ada, delegationId, false);
        return code;
      },
    ],
    [
      "gave way to a newer one",
      async (code: string) => {
        await make();
        return code;
      },
    ],
  ])("that %s gets the one answer", async (_, spoil) => {
    const { code } = await make();
    const answer = await claim(eve, await spoil(code));
    expectError(answer, "delegation_ended");
    expect((await eve.call("journeys")).body.journeys).toEqual([]);
  });

  it("is asked for again by the same phone, and gets the same digits", async () => {
    const { code } = await make();
    const first = (await claim(bob, code)).body;
    expect((await claim(bob, code)).body).toEqual(first);
  });

  it("that was photographed and used first ends for both when the right phone comes", async () => {
    const { code, delegationId } = await make();
    expect((await claim(eve, code)).status).toBe(200);
    await decide(eve, delegationId);
    expectError(await claim(bob, code), "delegation_ended");
    expect(await listOf(ada)).toEqual([]);
    expectError(await decide(ada, delegationId), "delegation_ended");
    expectError(await claim(eve, code), "delegation_ended");
    expect((await eve.call("journeys")).body.journeys).toEqual([]);
    expect(await eventsOf(service)).toEqual(["delegation_raced"]);
  });

  it("is not the holder's to use, nor staff's to make or to use, nor a stranger's to make", async () => {
    const staff = await staffSession(service);
    const { code } = await make();
    expectError(await claim(ada, code), "delegation_ended");
    expectError(await claim(staff, code), "insufficient_scope");
    expectError(await staff.call("delegation", { journeyId: JOURNEY }), "insufficient_scope");
    expectError(await eve.call("delegation", { journeyId: JOURNEY }), "journey_not_found");
    expect((await claim(bob, code)).status).toBe(200);
  });

  it("is guessed ten times an hour by a person, and spends nothing of the person's network", async () => {
    const wrong = (session: TestSession) => claim(session, "A".repeat(22));
    for (let i = 0; i < 10; i++) expectError(await wrong(eve), "delegation_ended");
    const { code } = await make();
    expectError(await claim(eve, code), "too_many_attempts");
    for (let i = 0; i < 30; i++) expectError(await wrong(await guestSession(service)), "delegation_ended");
    // A refused caller has not used the code.
    expect((await claim(bob, code)).status).toBe(200);
    const counters = await service.db.select().from(guessCounters);
    expect(new Set(counters.map(({ key }) => key.split(":", 1)[0]))).toEqual(new Set(["sub"]));
  });

  it("gets digits that are drawn again where some would be likelier", () => {
    const drawn = [
      [0xff, 0xff],
      [0xfd, 0xe8],
      [0xfd, 0xe7],
    ].map((bytes) => new Uint8Array(bytes));
    expect(drawnDigits({ random: () => drawn.shift() ?? new Uint8Array(2) })).toBe(999);
    expect(drawn).toEqual([]);
  });

  it("is stored in no table", async () => {
    const { code } = await make();
    expect(JSON.stringify(await service.db.select().from(delegations))).not.toContain(code);
  });
});

describe("a confirmation", () => {
  it.each([
    ["the holder", () => ada],
    ["the delegate", () => bob],
  ])("of %s alone has no effect", async (_, who) => {
    const { code, delegationId } = await make();
    await claim(bob, code);
    for (const again of [1, 2])
      expect([again, (await decide(who(), delegationId)).body.state]).toEqual([again, "claimed"]);
    expect((await bob.call("journeys")).body.journeys).toEqual([]);
    expect(await service.db.$count(loadedPlans)).toBe(1);
  });

  it("is of one delegation: neither a stranger's, nor before the code is used, nor after ten minutes", async () => {
    const { code, delegationId } = await make();
    expectError(await decide(ada, delegationId), "delegation_ended");
    await claim(bob, code);
    for (const stranger of [eve, await withBookings(service, await guestSession(service), [PLAN])])
      expectError(await decide(stranger, delegationId), "delegation_ended");
    await decide(ada, delegationId);
    service.advance(600);
    expectError(await decide(bob, delegationId), "delegation_ended");
  });
});
