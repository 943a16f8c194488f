import { beforeEach, describe, expect, it } from "vitest";
import type { Journey } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { decodeToken, type TokenClaims } from "../../core/sec/token.ts";
import { clients, travelPlans } from "../../db/schema.ts";
import { staffSession, startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { type Answer, expectError, type TestService } from "../test-support/service.ts";

const DIGEST = toBase64Url(new Uint8Array(32).fill(7));

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const authorize = (session: TestSession, fields: object = {}) =>
  session.call("ebtAuthorization", { uniqueDeviceId: "ebt-21-0001", nonce: "n", ...fields });
const demand = (flags: object) => changeRow(service.db, clients, "client-passenger", { flags });

function claimsOf({ status, text, body }: Answer): TokenClaims {
  expect(status, text).toBe(200);
  return decodeToken(fromBase64Url(body.transactionToken)).claims;
}

describe("approved content", () => {
  let journey: Journey;
  beforeEach(async () => {
    const booking = { recordLocator: "ABC123", surname: "LOVELACE" };
    journey = (await guest.call("journeyFromRecordLocator", booking)).body;
  });
  const digestOf = async (showLocator: boolean, baggageId = 1) => {
    const bag = journey.baggage.find((candidate) => candidate.baggageId === baggageId);
    if (bag === undefined) throw new Error("no such bag");
    return toBase64Url(await payloadDigest(encodePayload(ticketPayload(journey, bag, { showLocator }))));
  };
  const clear = async () => toBase64Url(await payloadDigest(encodePayload({ kind: "clear" })));

  it.each([[false], [true]])("is the label of the bag (locator shown: %s)", async (showLocator) => {
    const payloadDigest = await digestOf(showLocator);
    const claims = claimsOf(await authorize(guest, { baggageId: 1, payloadDigest }));
    expect(toBase64Url(claims.payloadDigest as Uint8Array)).toBe(payloadDigest);
  });

  it("is not the label of another bag, nor any other", async () => {
    for (const payloadDigest of [await digestOf(false, 2), DIGEST, await clear()]) {
      expectError(await authorize(guest, { baggageId: 1, payloadDigest }), "payload_mismatch");
    }
  });

  it("is not compared when only one of the two is sent", async () => {
    claimsOf(await authorize(guest, { baggageId: 999_999 }));
    claimsOf(await authorize(guest, { payloadDigest: DIGEST }));
  });

  it("of a bag that does not exist, or whose booking is past, is refused as such", async () => {
    const payloadDigest = await digestOf(false);
    expectError(await authorize(guest, { baggageId: 999_999, payloadDigest }), "baggage_not_found");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await authorize(guest, { baggageId: 1, payloadDigest }), "baggage_not_found");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() + 1 });
    claimsOf(await authorize(guest, { baggageId: 1, payloadDigest }));
  });

  it("is not read for where nothing is compared", async () => {
    const statements = async (fields: object) => {
      claimsOf(await authorize(guest, fields));
      return service.log.at(-1)?.statements;
    };
    const clearing = { operation: "clear", payloadDigest: await clear() };
    const bare = await statements({});
    for (const fields of [{ baggageId: 1 }, { payloadDigest: DIGEST }, { ...clearing, baggageId: 1 }])
      expect([fields, await statements(fields)]).toEqual([fields, bare]);
  });

  it("of a bag the caller may not see matches nothing, so that no caller guesses at names with it", async () => {
    const right = await authorize(stranger, { baggageId: 1, payloadDigest: await digestOf(false) });
    const wrong = await authorize(stranger, { baggageId: 1, payloadDigest: DIGEST });
    expectError(right, "payload_mismatch");
    expect(right.text).toBe(wrong.text);
  });

  it("is known to staff for bags of their airline only", async () => {
    const staff = await staffSession(service);
    claimsOf(await authorize(staff, { baggageId: 1, payloadDigest: await digestOf(false) }));
    await guest.call("journeyFromRecordLocator", { recordLocator: "OB1NKE", surname: "O'BRIEN" });
    const { journeys } = (await guest.call("journeys")).body as { journeys: Journey[] };
    journey = journeys.find(({ recordLocator }) => recordLocator === "OB1NKE") as Journey;
    claimsOf(await authorize(staff, { baggageId: 4, payloadDigest: await digestOf(false, 4) }));
    await guest.call("journeyFromRecordLocator", { recordLocator: "K7Q2ZD", surname: "MÜLLER" });
    const { journeys: all } = (await guest.call("journeys")).body as { journeys: Journey[] };
    journey = all.find(({ recordLocator }) => recordLocator === "K7Q2ZD") as Journey;
    const foreign = { baggageId: 3, payloadDigest: await digestOf(false, 3) };
    claimsOf(await authorize(guest, foreign));
    expectError(await authorize(staff, foreign), "payload_mismatch");
  });

  it("of a clear is the empty label and nothing else", async () => {
    const payloadDigest = await clear();
    expect(claimsOf(await authorize(guest, { operation: "clear", payloadDigest }))).toMatchObject({
      operation: "clear",
    });
    expectError(await authorize(guest, { operation: "clear", payloadDigest: DIGEST }), "payload_mismatch");
    const silent = await authorize(guest, { operation: "clear" });
    expectError(silent, "required_info_not_provided");
    expect(silent.body.errors).toEqual(["payloadDigest is required"]);
  });

  it("can be demanded by a client key", async () => {
    await demand({ requireApprovedContent: true });
    const bare = await authorize(guest);
    expectError(bare, "required_info_not_provided");
    expect(bare.body.errors).toEqual(["payloadDigest is required", "baggageId is required"]);
    expect(bare.body.message).toBe("Mandatory information is missing: payloadDigest, baggageId.");
    for (const [fields, missing] of [
      [{ payloadDigest: DIGEST }, "baggageId"],
      [{ baggageId: 1 }, "payloadDigest"],
      [{ operation: "clear" }, "payloadDigest"],
    ] as const) {
      const partial = await authorize(guest, fields);
      expectError(partial, "required_info_not_provided");
      expect(partial.body.errors).toEqual([`${missing} is required`]);
    }
    claimsOf(await authorize(guest, { baggageId: 1, payloadDigest: await digestOf(false) }));
    claimsOf(await authorize(guest, { operation: "clear", payloadDigest: await clear() }));
  });
});
