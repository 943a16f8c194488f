import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../core/api/index.ts";
import { clients, loadedPlans, usedOnce } from "../../db/schema.ts";
import {
  type AppInstance,
  attestationObject,
  dpopProof,
  newAppInstance,
} from "../test-support/app-instance.ts";
import { guestSession, newNonce, subOf, type TestSession } from "../test-support/logins.ts";
import { lastAudit } from "../test-support/rows.ts";
import {
  BASE,
  expectError,
  STAFF_LOGIN,
  scheduledRun,
  startService,
  type TestService,
} from "../test-support/service.ts";

const { path } = endpoints.ebtAuthorization;
const BODY = { uniqueDeviceId: "ebt-21-0001", nonce: "AAAAAAAAAAAAAAAAAAAAAA" };

let service: TestService;
let session: TestSession;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  session = await guestSession(service, { dpop: true });
});

const proof = (claims: JWTPayload = {}, typ?: string, app = session.app) =>
  dpopProof(app, {
    path,
    now: service.now(),
    accessToken: session.accessToken,
    claims,
    ...(typ ? { typ } : {}),
  });
const call = (dpop: string, headers: Record<string, string> = {}) =>
  session.call("ebtAuthorization", BODY, { DPoP: dpop, ...headers });
const nonceIn = (answer: { readonly headers: Headers }) => answer.headers.get("DPoP-Nonce");
const seconds = () => Math.floor(service.now() / 1_000);

describe("a DPoP-bound session", () => {
  it("calls with a proof, under either scheme", async () => {
    expect((await call(await proof())).status).toBe(200);
    expect((await call(await proof(), { Authorization: `DPoP ${session.accessToken}` })).status).toBe(200);
  });

  it("is named in the access token", async () => {
    expect(decodeJwt(session.accessToken).cnf).toEqual({ jkt: session.app.jkt });
  });

  it("cannot call without a proof", async () => {
    const answer = await service.call("ebtAuthorization", BODY, {
      Authorization: `Bearer ${session.accessToken}`,
    });
    expectError(answer, "invalid_dpop_proof");
    expect(answer.headers.get("WWW-Authenticate")).toBe('DPoP error="invalid_dpop_proof", algs="ES256"');
    expect(service.log.at(-1)).toMatchObject({ reason: "absent" });
  });

  it("may number its proofs as another app does", async () => {
    const other = await guestSession(service, { dpop: true });
    expect((await call(await proof({ jti: "1" }))).status).toBe(200);
    const { accessToken, app } = other;
    const theirs = await dpopProof(app, { path, now: service.now(), accessToken, claims: { jti: "1" } });
    expect((await other.call("ebtAuthorization", BODY, { DPoP: theirs })).status).toBe(200);
  });

  it("stores no proof once the session has ended, or a caller who is logged out could fill the table", async () => {
    await session.call("logout");
    const stored = () => service.db.$count(usedOnce);
    const before = await stored();
    expectError(await call(await proof()), "unauthorized_token");
    expect(await stored()).toBe(before);
  });

  it("uses a proof once among simultaneous calls", async () => {
    const once = await proof();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(once)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each<[string, () => Promise<JWTPayload>]>([
    ["its date is", async () => ({ iat: seconds() + 300 })],
    ["its nonce is", async () => ({ iat: 0, nonce: nonceIn(await call(await proof({ iat: 0 }))) })],
  ])("uses each proof once as long as %s good, swept or not", async (_, claims) => {
    // At the beginning of a span of time, so that its nonce is good for all of the next as well.
    service.advance(300 - (seconds() % 300));
    session = await guestSession(service, { dpop: true });
    const once = await proof(await claims());
    expect((await call(once)).status).toBe(200);
    service.advance(599);
    await scheduledRun(service.now(), {});
    expectError(await call(once), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "replayed" });
  });

  it("uses the proof once by which a delegate shows that they know the booking", async () => {
    const given = { sub: subOf(session), planId: "demo-plan-1", loadedAt: 0, delegationId: "given" };
    await service.db.insert(loadedPlans).values(given);
    const { path: loading } = endpoints.journeyFromRecordLocator;
    const { accessToken } = session;
    const once = await dpopProof(session.app, { path: loading, now: service.now(), accessToken });
    const load = (surname: string) =>
      session.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname }, { DPoP: once });
    expect((await load("LOVELACE")).status).toBe(200);
    expectError(await load("MÜLLER"), "invalid_dpop_proof");
  });

  it("may repeat a proof where nothing changes", async () => {
    const { path: lookup } = endpoints.ebtLookup;
    const again = await dpopProof(session.app, {
      path: lookup,
      now: service.now(),
      accessToken: session.accessToken,
    });
    for (let i = 0; i < 2; i++) {
      expectError(await session.call("ebtLookup", {}, { DPoP: again }), "required_info_not_provided");
    }
  });

  it("spells the target as it likes, as long as it is the same", async () => {
    expect((await call(await proof({ htu: `HTTPS://TAGLATCH.test:443${path}?a#b` }))).status).toBe(200);
  });

  const CLAIM = "ERR_JWT_CLAIM_VALIDATION_FAILED";
  it.each<[string, string, () => JWTPayload]>([
    ["another method", "htm", () => ({ htm: "GET" })],
    ["another path", "htu", () => ({ htu: `${BASE}/v2/ebt-lookups` })],
    ["another host", "htu", () => ({ htu: `https://evil.example${path}` })],
    ["a target that is no URL", "htu", () => ({ htu: path })],
    ["a target that is no text", "htu", () => ({ htu: [`${BASE}${path}`] as never })],
    ["another access token", "ath", () => ({ ath: "A".repeat(43) })],
    ["no access token", "ath", () => ({ ath: undefined })],
    ["no id", CLAIM, () => ({ jti: undefined as never })],
    ["a blank id", "jti", () => ({ jti: "" })],
    ["an id that is no text", "jti", () => ({ jti: ["j"] as never })],
    ["an id that is too long", "jti", () => ({ jti: "j".repeat(257) })],
    ["no method", CLAIM, () => ({ htm: undefined })],
    ["no target", CLAIM, () => ({ htu: undefined })],
    ["a date too old", "iat", () => ({ iat: seconds() - 301 })],
    ["a date too far ahead", "iat", () => ({ iat: seconds() + 301 })],
    ["a nonce of its own making", "nonce", () => ({ nonce: "mine" })],
    ["no date", CLAIM, () => ({ iat: undefined as never })],
    ["no date, for a good nonce", CLAIM, () => ({ iat: undefined as never, nonce: "mine" })],
    ["a date that is text", CLAIM, () => ({ iat: String(seconds()) as never })],
    ["an end in the past", "ERR_JWT_EXPIRED", () => ({ exp: seconds() - 1 })],
  ])("cannot call with a proof of %s", async (_, reason, claims) => {
    expectError(await call(await proof(claims())), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_dpop_proof", reason });
  });

  it("may number its proofs with up to 256 letters", async () => {
    expect((await call(await proof({ jti: "j".repeat(256) }))).status).toBe(200);
  });

  it("may date its proof 300 seconds off, to the millisecond", async () => {
    service.advance(1 - (service.now() % 1_000) / 1_000);
    for (const offset of [-300, 300])
      expect((await call(await proof({ iat: seconds() + offset }))).status).toBe(200);
    service.advance(0.001);
    expectError(await call(await proof({ iat: seconds() - 300 })), "invalid_dpop_proof");
  });

  it("has its proofs remembered for as long as their date is good, and no longer", async () => {
    await service.db.delete(usedOnce);
    const iat = seconds() + 100;
    await call(await proof({ iat }));
    expect(await service.db.select().from(usedOnce)).toMatchObject([{ endsAt: (iat + 300) * 1_000 + 1 }]);
  });

  it("has its proofs by our nonce remembered for as long as the nonce is good: this span and the next", async () => {
    const nonce = nonceIn(await call(await proof({ iat: 0 }))) ?? "";
    const spanEnds = (Math.floor(service.now() / 300_000) + 1) * 300_000;
    for (const seconds of [0, 300]) {
      await service.db.delete(usedOnce);
      service.advance(seconds);
      expect((await call(await proof({ nonce }))).status).toBe(200);
      expect(await service.db.select().from(usedOnce)).toMatchObject([{ endsAt: spanEnds + 300_000 }]);
    }
  });

  it("proves the origin it is reached at, not the one behind it", async () => {
    const behind = await startService({ PUBLIC_ORIGIN: "https://tags.example" });
    behind.advance((service.now() - behind.now()) / 1_000);
    const attempt = async (origin: string) => {
      const dpop = await proof({ htu: origin + path });
      const headers = { Authorization: `Bearer ${session.accessToken}`, DPoP: dpop };
      return (await behind.call("ebtAuthorization", BODY, headers)).status;
    };
    expect([await attempt("https://tags.example"), await attempt(BASE)]).toEqual([200, 401]);
  });

  it("cannot call with a token of ours that leaves the key out", async () => {
    const { exp: _, cnf: __, ...claims } = decodeJwt(session.accessToken);
    const { kid, key } = service.settings.accessTokenKeys.signing;
    const unbound = await new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
      .setExpirationTime(seconds() + 60)
      .sign(key);
    const headers = { Authorization: `Bearer ${unbound}` };
    expectError(await service.call("deviceClientCertificate", undefined, headers), "unauthorized_token");
    expect(service.log.at(-1)).toMatchObject({ reason: "another binding" });
  });

  it("gets the time, so that it can date its next proof", async () => {
    const answer = await call(await proof({ iat: 0 }));
    expect(Date.parse(answer.headers.get("Date") ?? "")).toBe(seconds() * 1_000);
  });

  it.each<[string, () => JWTPayload]>([
    ["is dated long ago", () => ({ iat: 0 })],
    ["is dated in the future", () => ({ iat: seconds() + 86_400 })],
    ["has a nonce of its own making", () => ({ nonce: "mine" })],
    ["has a nonce that is no text", () => ({ nonce: 7 })],
  ])("gets a nonce where its proof %s, and calls with it", async (_, claims) => {
    const refused = await call(await proof(claims()));
    expectError(refused, "invalid_dpop_proof");
    expect(refused.headers.get("WWW-Authenticate")).toBe('DPoP error="use_dpop_nonce", algs="ES256"');
    const nonce = nonceIn(refused);
    expect((await call(await proof({ ...claims(), nonce }))).status).toBe(200);
  });

  it("gets no nonce for another fault", async () => {
    expect(nonceIn(await call(await proof({ iat: 0, htm: "GET" })))).toBeNull();
  });

  it("uses a nonce for five to ten minutes, and gets the next in time", async () => {
    // The spans of time are those of the clock on the wall.
    service.advance(300 - (seconds() % 300));
    session = await guestSession(service, { dpop: true });
    const nonce = nonceIn(await call(await proof({ iat: 0 })));
    service.advance(299);
    expect(nonceIn(await call(await proof({ iat: 0, nonce })))).toBeNull();
    service.advance(300);
    const renewed = await call(await proof({ iat: 0, nonce }));
    expect(renewed.status).toBe(200);
    expect(nonceIn(renewed)).toMatch(/^[\w-]{43}$/);
    expect(nonceIn(renewed)).not.toBe(nonce);
    service.advance(1);
    session = await guestSession(service, { dpop: true });
    const late = await call(await proof({ iat: 0, nonce }));
    expect(late.headers.get("WWW-Authenticate")).toContain("use_dpop_nonce");
  });

  it("cannot call with a proof by another key", async () => {
    expectError(await call(await proof({}, "dpop+jwt", await newAppInstance())), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "another key" });
  });

  it("cannot call with a proof by a key that is none", async () => {
    const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA" };
    expectError(await call(await session.app.sign("dpop+jwt", {}, { jwk })), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "malformed" });
  });

  it("cannot call with a proof signed by another key than it shows", async () => {
    const { jwk } = session.app;
    const jws = await (await newAppInstance()).sign(
      "dpop+jwt",
      { jti: "j", htm: "POST", htu: BASE + path, iat: seconds() },
      { jwk },
    );
    expectError(await call(jws), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" });
  });

  it.each(["JWT", "ebt-attestation+jwt"])("cannot call with a JWS of type %s", async (typ) => {
    expectError(await call(await proof({}, typ)), "invalid_dpop_proof");
  });

  it("cannot call with two proofs", async () => {
    expectError(await call(`${await proof()}, ${await proof()}`), "invalid_dpop_proof");
  });
});

describe("a plain Bearer session", () => {
  it("ignores a header that is not required", async () => {
    const plain = await guestSession(service);
    expect((await plain.call("deviceClientCertificate", undefined, { DPoP: "nonsense" })).status).toBe(200);
  });

  it("cannot call under the scheme DPoP", async () => {
    const plain = await guestSession(service);
    const headers = { Authorization: `DPoP ${plain.accessToken}` };
    expectError(await plain.call("deviceClientCertificate", undefined, headers), "unauthorized_token");
  });
});

describe("a login with a proof", () => {
  it("is refused where the proof is another's", async () => {
    const { path: login } = endpoints.guestSession;
    const stranger = await dpopProof(await newAppInstance(), { path: login, now: service.now() });
    const nonce = await newNonce(service);
    const statement = await attestationObject(session.app, { nonce, now: service.now() });
    const body = { nonce, attestationObject: statement };
    expectError(await service.call("guestSession", body, { DPoP: stranger }), "invalid_dpop_proof");
  });

  it("may be dated by our nonce, and burns no attestation nonce before", async () => {
    const { path: login } = endpoints.guestSession;
    const nonce = await newNonce(service);
    const body = {
      nonce,
      attestationObject: await attestationObject(session.app, { nonce, now: service.now() }),
    };
    const attempt = async (claims: JWTPayload) =>
      service.call("guestSession", body, {
        DPoP: await dpopProof(session.app, {
          path: login,
          now: service.now(),
          claims: { iat: 1, ...claims },
        }),
      });
    const refused = await attempt({});
    expectError(refused, "invalid_dpop_proof");
    expect((await attempt({ nonce: nonceIn(refused) })).status).toBe(200);
  });

  it("is refused where the proof was used for a login before", async () => {
    const { path: login } = endpoints.b2bSession;
    const DPoP = await dpopProof(session.app, { path: login, now: service.now() });
    const body = { username: "kiosk-osl-1", password: "correct horse battery staple" };
    const headers = { ...STAFF_LOGIN, DPoP };
    expect((await service.call("b2bSession", body, headers)).status).toBe(200);
    expectError(await service.call("b2bSession", body, headers), "invalid_dpop_proof");
  });

  it("by nonce is single use by its nonce: the proof of one is no proof for another", async () => {
    const { path: login } = endpoints.guestSession;
    const DPoP = await dpopProof(session.app, { path: login, now: service.now() });
    const attempt = async (app: AppInstance, nonce: string) => {
      const statement = await attestationObject(app, { nonce, now: service.now() });
      return service.call("guestSession", { nonce, attestationObject: statement }, { DPoP });
    };
    const nonce = await newNonce(service);
    expect((await attempt(session.app, nonce)).status).toBe(200);
    expectError(await attempt(session.app, nonce), "invalid_nonce");
    expectError(await attempt(await newAppInstance(), await newNonce(service)), "invalid_dpop_proof");
  });

  it("is required where the client key requires it", async () => {
    const strict = await startService();
    await strict.db.update(clients).set({ flags: { requireDpop: true } });
    await expect(guestSession(strict)).rejects.toThrow("invalid_dpop_proof");
    await guestSession(strict, { dpop: true });
    await startService();
  });
});
