import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { copyBytes, fromBase64, toBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { splitDer } from "../../core/pki/pem.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { certificates, sessions } from "../../db/schema.ts";
import { importVerifyKey } from "../config/keys.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { type AppInstance, newAppInstance } from "../test-support/app-instance.ts";
import { federatedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { lastAudit, lastSession } from "../test-support/rows.ts";
import { type Answer, expectError, startService, type TestService } from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** The certificate in an answer, which chains to the operator's root. */
async function certified({ status, body }: Answer) {
  expect([status, Object.keys(body)]).toEqual([200, ["certificateChain"]]);
  const [intermediate, leaf] = splitDer(fromBase64(body.certificateChain));
  if (intermediate === undefined || leaf === undefined) throw new Error("not two certificates");
  const anchors = [service.settings.ca.root];
  const at = new Date(service.now());
  return { leaf, ...(await verifyChain({ chain: [leaf, intermediate], anchors, eku: EKU_CLIENT, at })) };
}
const certificate = async (session: TestSession) => certified(await session.call("deviceClientCertificate"));
const spkiOf = async ({ jwk }: AppInstance) =>
  copyBytes((await crypto.subtle.exportKey("spki", await importVerifyKey(jwk))) as ArrayBuffer);
const certifies = async (answer: Answer, app: AppInstance) =>
  (await certified(answer)).spki.join() === (await spkiOf(app)).join();

describe("a client certificate", () => {
  it("is for a discarded key, each time another, where the session proved none", async () => {
    const session = await staffSession(service);
    const [a, b] = [await certificate(session), await certificate(session)];
    expect(a.spki).not.toEqual(b.spki);
    expect(a.spki).not.toEqual(await spkiOf(session.app));
  });

  it("is on record with its serial number, key and session, and without the person", async () => {
    const session = await guestSession(service);
    const { leaf, notAfter } = await certificate(session);
    const { id } = await lastSession(service);
    const [row] = await service.db.select().from(certificates).where(eq(certificates.sessionId, id));
    const key = await importVerifyKey(session.app.jwk);
    expect(row).toMatchObject({
      ...{ sub: "", clientId: "" },
      spkiHash: toBase64Url(await publicKeyThumbprint(key)),
      issuedAt: service.now(),
      expiresAt: service.now() + 7 * 86_400_000,
    });
    expect(toHex(leaf)).toContain(`0210${row?.serial}`);
    // The row goes with its end, and with it what an operator could revoke.
    expect(row?.expiresAt).toBeGreaterThanOrEqual(notAfter.getTime());
    expect(notAfter.getTime()).toBeGreaterThan(service.now() + 6.99 * 86_400_000);
  });

  it("is forgotten once its session has ten newer ones", async () => {
    const session = await staffSession(service);
    const { id } = await lastSession(service);
    const own = eq(certificates.sessionId, id);
    const serials = async () =>
      (await service.db.select().from(certificates).where(own)).map(({ serial }) => serial);
    await certificate(session);
    const [first = ""] = await serials();
    service.advance(1);
    for (let i = 0; i < 10; i++) await certificate(session);
    const left = await serials();
    expect(left).toHaveLength(10);
    expect(left).not.toContain(first);
  });

  it("of one session is never forgotten for those of another", async () => {
    const quiet = await staffSession(service);
    const { id } = await lastSession(service);
    await certificate(quiet);
    const busy = await staffSession(service);
    for (let i = 0; i < 11; i++) await certificate(busy);
    const rows = await service.db.select().from(certificates).where(eq(certificates.sessionId, id));
    expect(rows).toHaveLength(1);
  });

  it("takes two D1 calls", async () => {
    const session = await guestSession(service, { dpop: true });
    const answer = await session.call("deviceClientCertificate");
    expect(answer.headers.get("Server-Timing")).toContain('desc="2"');
  });
});

/** What a session sends to bring the key of `app`; claims may be replaced. */
async function keyOf(app: AppInstance, { accessToken }: TestSession, claims = {}) {
  const iat = Math.floor(service.now() / 1_000);
  const said = { ath: await sha256Text(accessToken), iat, jti: crypto.randomUUID(), ...claims };
  return { jwk: app.jwk, proof: await app.sign("key-proof+jwt", said) };
}
const bring = async (session: TestSession, app: AppInstance, claims = {}) =>
  session.call("deviceClientCertificate", await keyOf(app, session, claims));

describe("a session that logged in without a key", () => {
  it.each([
    ["a host's passenger", federatedSession],
    ["staff", staffSession],
  ])("may bring one to endpoint 7: %s", async (_, login) => {
    const [session, app] = [await login(service), await newAppInstance()];
    const answer = await bring(session, app);
    expect(answer.status).toBe(200);
    expect(await certifies(answer, app)).toBe(true);
    expect((await lastSession(service)).keyJwk).toEqual(app.jwk);
    expect(await certifies(await session.call("deviceClientCertificate"), app)).toBe(true);
  });

  it("may bring it again, but never another, not even at the same time", async () => {
    const session = await staffSession(service);
    const apps = await Promise.all(Array.from({ length: 4 }, newAppInstance));
    const answers = await Promise.all(apps.map((app) => bring(session, app)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const winner = apps[answers.findIndex(({ status }) => status === 200)] as AppInstance;
    expect(await certifies(await bring(session, winner), winner)).toBe(true);
    expectError(await bring(session, await newAppInstance()), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "another key is bound" });
  });

  it.each<[string, string, () => Promise<object>]>([
    ["without the access token's hash", "ath", async () => ({ ath: undefined })],
    ["without jti", "ERR_JWT_CLAIM_VALIDATION_FAILED", async () => ({ jti: undefined })],
  ])("is refused with a proof %s, and stays without one", async (_, reason, claims) => {
    const session = await staffSession(service);
    expectError(await bring(session, await newAppInstance(), await claims()), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_dpop_proof", reason });
    expect((await lastSession(service)).keyJwk).toBeNull();
  });

  it("dates its proof within 300 seconds, by the service's clock", async () => {
    const later = await startService();
    later.advance(3_600 + (1 - (later.now() % 1_000) / 1_000));
    const session = await staffSession(later);
    const [app, now] = [await newAppInstance(), later.now() / 1_000];
    const attempt = async (claims: object) => {
      const { proof } = await keyOf(app, session, { iat: now, ...claims });
      return (await session.call("deviceClientCertificate", { jwk: app.jwk, proof })).status;
    };
    expect([await attempt({ exp: now - 1 }), await attempt({ nbf: now + 1 })]).toEqual([401, 401]);
    expect([await attempt({ iat: now - 301 }), await attempt({ iat: now + 301 })]).toEqual([401, 401]);
    expect([await attempt({ iat: now - 300 }), await attempt({ iat: now + 300 })]).toEqual([200, 200]);
    expect(await attempt({ nbf: now, exp: now + 1 })).toBe(200);
  });

  it("is refused with another key than the proof's, or no point of the curve, with its reason in the log", async () => {
    const session = await staffSession(service);
    const { jwk, proof } = await keyOf(await newAppInstance(), session);
    const { jwk: another } = await newAppInstance();
    expectError(await session.call("deviceClientCertificate", { jwk: another, proof }), "invalid_dpop_proof");
    const none = { ...jwk, x: "A".repeat(43) };
    expectError(await session.call("deviceClientCertificate", { jwk: none, proof }), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "malformed" });
  });

  it("brings it for itself: no other session without one has it", async () => {
    const other = await staffSession(service);
    const { id } = await lastSession(service);
    const app = await newAppInstance();
    await bring(await staffSession(service), app);
    const [row] = await service.db.select().from(sessions).where(eq(sessions.id, id));
    expect(row?.keyJwk).toBeNull();
    expect(await certifies(await other.call("deviceClientCertificate"), app)).toBe(false);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ["a key without a proof", { jwk: { kty: "EC", crv: "P-256", x: "A", y: "A" } }, {}],
    ["a proof without a key", { proof: "a.b.c" }, {}],
    ["no JSON", "nonsense", {}],
    ["another type", "{}", { "Content-Type": "text/plain" }],
    ["more than the limit", `{"proof":"${"x".repeat(17_000)}"}`, {}],
  ])("gets the usual certificate for a discarded key, with %s", async (_, body, headers) => {
    const session = await staffSession(service);
    expect((await session.call("deviceClientCertificate", body, headers)).status).toBe(200);
    expect((await lastSession(service)).keyJwk).toBeNull();
  });
});

it("a session that has a key brings no other", async () => {
  const session = await guestSession(service);
  expectError(await bring(session, await newAppInstance()), "invalid_dpop_proof");
  expect(await certifies(await bring(session, session.app), session.app)).toBe(true);
});
