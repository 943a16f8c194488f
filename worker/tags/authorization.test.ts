import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { fromBase64Url, toBase64Url, toHex, utf8 } from "../../core/encoding/bytes.ts";
import { decodeToken, TOKEN_LIMIT, type TokenClaims, verifyTokenSignature } from "../../core/sec/token.ts";
import { devices } from "../../db/schema.ts";
import {
  federatedSession,
  guestSession,
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
