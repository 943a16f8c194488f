import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { copyBytes, fromBase64 } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { splitDer } from "../../core/pki/split-der.ts";
import { sessions } from "../../db/schema.ts";
import { importVerifyKey } from "../config/keys.ts";
import { sha256Text } from "../secrets/lookup-keys.ts";
import { type AppInstance, newAppInstance } from "../test-support/app-instance.ts";
import { federatedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { lastAudit, lastSession } from "../test-support/rows.ts";
import { type Answer, expectError, startService, type TestService } from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** What a session sends to bring the key of `app`; claims may be replaced. */
async function keyOf(app: AppInstance, { accessToken }: TestSession, claims = {}) {
  const iat = Math.floor(service.now() / 1_000);
  const said = { ath: await sha256Text(accessToken), iat, jti: crypto.randomUUID(), ...claims };
  return { jwk: app.jwk, proof: await app.sign("key-proof+jwt", said) };
}
const bring = async (session: TestSession, app: AppInstance, claims = {}) =>
  session.call("deviceClientCertificate", await keyOf(app, session, claims));

async function certifies(answer: Answer, { jwk }: AppInstance): Promise<boolean> {
  const [intermediate, leaf] = splitDer(fromBase64(answer.body.certificateChain));
  if (intermediate === undefined || leaf === undefined) throw new Error("no chain");
  const at = new Date(service.now());
  const { spki } = await verifyChain({
    ...{ chain: [leaf, intermediate], anchors: [service.settings.ca.root], eku: EKU_CLIENT, at },
  });
  const own = copyBytes((await crypto.subtle.exportKey("spki", await importVerifyKey(jwk))) as ArrayBuffer);
  return own.join() === spki.join();
}

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
    ["for another access token", "ath", async () => ({ ath: await sha256Text("another") })],
    ["without the access token's hash", "ath", async () => ({ ath: undefined })],
    ["of six minutes ago", "iat", async () => ({ iat: Math.floor(service.now() / 1_000) - 360 })],
    ["without iat", "ERR_JWT_CLAIM_VALIDATION_FAILED", async () => ({ iat: undefined })],
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

  it("is refused with a key that is no point of the curve, and the reason is in the audit log", async () => {
    const session = await staffSession(service);
    const { jwk, proof } = await keyOf(await newAppInstance(), session);
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

  it("is refused with the proof of another key", async () => {
    const session = await staffSession(service);
    const { proof } = await keyOf(await newAppInstance(), session);
    const { jwk } = await newAppInstance();
    expectError(await session.call("deviceClientCertificate", { jwk, proof }), "invalid_dpop_proof");
  });

  it.each<[string, unknown, Record<string, string>]>([
    ["a key without a proof", { jwk: { kty: "EC", crv: "P-256", x: "A", y: "A" } }, {}],
    ["a proof without a key", { proof: "a.b.c" }, {}],
    ["fields of other types", { jwk: "text", proof: 7 }, {}],
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
