import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { Journey } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64Url, toBase64Url, toHex, utf8 } from "../../core/encoding/bytes.ts";
import { decodeToken, TOKEN_LIMIT, type TokenClaims, verifyTokenSignature } from "../../core/sec/token.ts";
import { clients, devices, travelPlans } from "../../db/schema.ts";
import { RIGHT } from "../test-support/locked-tag.ts";
import {
  ADA,
  federatedSession,
  guestSession,
  staffSession,
  startWithTwoGuests,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow, revokeKeys } from "../test-support/rows.ts";
import {
  type Answer,
  expectError,
  scheduledRun,
  startClean,
  type TestService,
} from "../test-support/service.ts";
import { tagCertificateOf } from "../test-support/signing-tag.ts";

const TAG = "ebt-21-0001";
const OLD_TAG = "ebt-20-0005";
const NONCE = "AAECAwQFBgcICQoLDA0ODw";
const DIGEST = toBase64Url(new Uint8Array(32).fill(7));

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const authorize = (session: TestSession, fields: object = {}, uniqueDeviceId = TAG) =>
  session.call("ebtAuthorization", { uniqueDeviceId, nonce: NONCE, ...fields });

/** The claims of the token, whose signature must be the service's. */
async function claimsOf(answer: Answer): Promise<TokenClaims> {
  expect(answer.status, answer.text).toBe(200);
  expect(Object.keys(answer.body)).toEqual(["transactionToken"]);
  const token = decodeToken(fromBase64Url(answer.body.transactionToken));
  const { verifying, signing } = service.settings.transactionTokenKeys;
  expect(token.kid).toBe(signing.kid);
  const key = verifying.get(token.kid) as CryptoKey;
  expect(await verifyTokenSignature(token, key)).toBe(true);
  return token.claims;
}

describe("a transaction token", () => {
  it("binds device, nonce, time and the session's certified key", async () => {
    const claims = await claimsOf(await authorize(guest, {}, OLD_TAG));
    const iat = Math.floor(service.now() / 1_000);
    expect(claims).toMatchObject({ iss: "taglatch", aud: OLD_TAG, iat, exp: iat + 120, ttl: 120 });
    expect(claims.cti).toHaveLength(8);
    expect(toHex(claims.nonce)).toBe("000102030405060708090a0b0c0d0e0f");
    const key = await crypto.subtle.importKey(
      "jwk",
      { ...guest.app.jwk },
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["verify"],
    );
    const spki = await crypto.subtle.exportKey("spki", key);
    const thumbprint = new Uint8Array(await crypto.subtle.digest("SHA-256", spki as ArrayBuffer));
    expect(claims.cnfSpkiSha256).toEqual(thumbprint);
    for (const optional of ["version", "operation", "payloadDigest", "channelBinding"]) {
      expect(claims).not.toHaveProperty(optional);
    }
  });

  it("lasts no longer than tags allow, whatever the deployment configures", async () => {
    const long = await startClean({ TRANSACTION_TOKEN_SECONDS: "100000" });
    const { ttl, iat, exp } = await claimsOf(await authorize(await guestSession(long)));
    expect([ttl, exp - iat]).toEqual([TOKEN_LIMIT.ttl, TOKEN_LIMIT.ttl]);
  });

  it("carries no key where the session proved none", async () => {
    const session = await federatedSession(service, { claims: { cnf: undefined } });
    expect(await claimsOf(await authorize(session))).not.toHaveProperty("cnfSpkiSha256");
  });

  it("names the device exactly as it was sent", async () => {
    for (const name of [" EBT-21-0001 ", "Ebt-21-0001", "never-seen Ä"]) {
      expect((await claimsOf(await authorize(guest, {}, name))).aud).toBe(name);
    }
  });

  it("binds the other fields of the request", async () => {
    const claims = await claimsOf(
      await authorize(guest, {
        operation: "write",
        payloadDigest: DIGEST,
        channelBinding: DIGEST,
        gattVersion: "2.1",
      }),
    );
    const digest = fromBase64Url(DIGEST);
    expect(claims).toMatchObject({ operation: "write", version: "2.1" });
    expect(claims.payloadDigest).toEqual(digest);
    expect(claims.channelBinding).toEqual(digest);
  });

  it("hashes a nonce that is no 16 bytes", async () => {
    const claims = await claimsOf(await authorize(guest, { nonce: "any text" }));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8("any text")));
    expect(claims.nonce).toEqual(hash.slice(0, 16));
  });

  it("is not signed with the key of access tokens", () => {
    const { accessTokenKeys, transactionTokenKeys } = service.settings;
    expect(accessTokenKeys.published).not.toEqual(transactionTokenKeys.published);
  });

  it("costs one D1 call, and two when a tag proves itself", async () => {
    await authorize(guest, { baggageId: 999_999, operation: "clear" });
    expect(service.log.at(-1)).toMatchObject({ calls: 1 });
    await authorize(guest, { tagCertificate: tagCertificateOf(TAG) });
    expect(service.log.at(-1)).toMatchObject({ calls: 1 });
    await changeRow(service.db, devices, TAG, { gattVersion: null, tagSpkiHash: null });
    await authorize(guest, { tagCertificate: tagCertificateOf(TAG) });
    expect(service.log.at(-1)).toMatchObject({ calls: 2 });
  });
});

describe("the GATT version", () => {
  const forget = () =>
    service.db
      .update(devices)
      .set({ gattVersion: null, tagSpkiHash: null })
      .where(inArray(devices.id, [TAG, OLD_TAG, "ebt-21-0002"]));
  const versionOf = async (answer: Answer) => (await claimsOf(answer)).version;

  it("is raised by the tag's own certificate, also of an unknown tag", async () => {
    await forget();
    await service.db.delete(devices).where(eq(devices.id, "ebt-21-0002"));
    const isMet = { label: "EBT-21-0002", registeredAt: service.now(), gattVersion: "2.1", reviewAt: null };
    for (const id of [TAG, "ebt-21-0002"]) {
      const tagCertificate = tagCertificateOf(id);
      expect(await versionOf(await authorize(guest, { tagCertificate }, id.toUpperCase()))).toBe("2.1");
      expectError(await authorize(stranger, { gattVersion: "2.0" }, id), "gatt_version_refused");
    }
    const [row] = await service.db.select().from(devices).where(eq(devices.id, "ebt-21-0002"));
    expect(row).toMatchObject(isMet);
  });

  it.each([
    ["that is none", () => "AAAA"],
    ["that is no canonical base64", () => "AAB="],
    ["that was tampered with", () => `${tagCertificateOf(TAG).slice(0, -8)}AAAAAAA=`],
  ])("is not raised by a certificate %s", async (_, certificate) => {
    await forget();
    const answer = await authorize(guest, { gattVersion: "2.0", tagCertificate: certificate() });
    expect(await versionOf(answer)).toBe("2.0");
    const [row] = await service.db.select().from(devices).where(eq(devices.id, TAG));
    expect(row).toMatchObject({ gattVersion: null, tagSpkiHash: null });
  });

  it("is not raised by a certificate that is not yet valid", async () => {
    await forget();
    service.advance(Date.UTC(2024, 11, 31) / 1_000 - service.now() / 1_000);
    const session = await guestSession(service);
    const answer = await authorize(session, { tagCertificate: tagCertificateOf(TAG) });
    expect(await versionOf(answer)).toBeUndefined();
  });

  it("is not raised by demo tags in production", async () => {
    await forget();
    const production = await startClean({ ENVIRONMENT: "production" });
    await forget();
    const session = await guestSession(production);
    const answer = await authorize(session, { gattVersion: "2.0", tagCertificate: tagCertificateOf(TAG) });
    expect(answer.status).toBe(200);
  });
});

describe("no token", () => {
  it("goes to a session whose certified key was revoked", async () => {
    await guest.call("deviceClientCertificate");
    await claimsOf(await authorize(guest));
    await revokeKeys(service);
    const answer = await authorize(guest);
    expectError(answer, "unauthorized_token");
    expect(answer.headers.get("WWW-Authenticate")).toContain("invalid_token");
    await claimsOf(await authorize(stranger));
  });

  it("goes to a later session of such a key, by any login", async () => {
    await guest.call("deviceClientCertificate");
    await revokeKeys(service);
    const { app } = guest;
    for (const again of [
      await guestSession(service, { app }),
      await federatedSession(service, { app, dpop: true }),
    ]) {
      expectError(await authorize(again), "unauthorized_token");
      await again.call("deviceClientCertificate");
      expectError(await authorize(again), "unauthorized_token");
    }
  });

  it("goes to such a session once its certificate is over, either", async () => {
    await guest.call("deviceClientCertificate");
    await revokeKeys(service);
    service.advance(8 * 86_400);
    await scheduledRun(service.now(), {});
    expectError(await authorize(await guestSession(service, { app: guest.app })), "unauthorized_token");
  });
});

describe("approved content", () => {
  let journey: Journey;
  beforeEach(async () => {
    journey = (await guest.call("journeyFromRecordLocator", ADA)).body;
  });
  const digestOf = async (showLocator: boolean, baggageId = 1) => {
    const bag = journey.baggage.find((candidate) => candidate.baggageId === baggageId);
    if (bag === undefined) throw new Error("no such bag");
    return toBase64Url(await payloadDigest(encodePayload(ticketPayload(journey, bag, { showLocator }))));
  };
  const clear = async () => toBase64Url(await payloadDigest(encodePayload({ kind: "clear" })));

  it.each([[false], [true]])("is the label of the bag (locator shown: %s)", async (showLocator) => {
    const payloadDigest = await digestOf(showLocator);
    const claims = await claimsOf(await authorize(guest, { baggageId: 1, payloadDigest }));
    expect(toBase64Url(claims.payloadDigest as Uint8Array)).toBe(payloadDigest);
  });

  it("is not the label of another bag, nor any other", async () => {
    for (const payloadDigest of [await digestOf(false, 2), DIGEST, await clear()]) {
      expectError(await authorize(guest, { baggageId: 1, payloadDigest }), "payload_mismatch");
    }
  });

  it("is not compared when only one of the two is sent", async () => {
    await claimsOf(await authorize(guest, { baggageId: 999_999 }));
    await claimsOf(await authorize(guest, { payloadDigest: DIGEST }));
  });

  it("of a bag that does not exist, or whose booking is past, is refused as such", async () => {
    const payloadDigest = await digestOf(false);
    expectError(await authorize(guest, { baggageId: 999_999, payloadDigest }), "baggage_not_found");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await authorize(guest, { baggageId: 1, payloadDigest }), "baggage_not_found");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() + 1 });
    await claimsOf(await authorize(guest, { baggageId: 1, payloadDigest }));
  });

  it("is not read for where nothing is compared", async () => {
    const statements = async (fields: object) => {
      await claimsOf(await authorize(guest, fields));
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
    await claimsOf(await authorize(staff, { baggageId: 1, payloadDigest: await digestOf(false) }));
    const obrien = { recordLocator: "OB1NKE", surname: "O'BRIEN" };
    journey = (await guest.call("journeyFromRecordLocator", obrien)).body;
    await claimsOf(await authorize(staff, { baggageId: 4, payloadDigest: await digestOf(false, 4) }));
    journey = (await guest.call("journeyFromRecordLocator", RIGHT)).body;
    const foreign = { baggageId: 3, payloadDigest: await digestOf(false, 3) };
    await claimsOf(await authorize(guest, foreign));
    expectError(await authorize(staff, foreign), "payload_mismatch");
  });

  it("of a clear is the empty label and nothing else", async () => {
    const payloadDigest = await clear();
    expect(await claimsOf(await authorize(guest, { operation: "clear", payloadDigest }))).toMatchObject({
      operation: "clear",
    });
    expectError(await authorize(guest, { operation: "clear", payloadDigest: DIGEST }), "payload_mismatch");
    const silent = await authorize(guest, { operation: "clear" });
    expectError(silent, "required_info_not_provided");
    expect(silent.body.errors).toEqual(["payloadDigest is required"]);
  });

  it("can be demanded by a client key", async () => {
    const flags = { requireApprovedContent: true };
    await changeRow(service.db, clients, "client-passenger", { flags });
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
    await claimsOf(await authorize(guest, { baggageId: 1, payloadDigest: await digestOf(false) }));
    await claimsOf(await authorize(guest, { operation: "clear", payloadDigest: await clear() }));
  });
});
