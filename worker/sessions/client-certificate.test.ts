import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { copyBytes, fromBase64, toBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { splitDer } from "../../core/pki/split-der.ts";
import { certificates } from "../../db/schema.ts";
import { importVerifyKey } from "../config/keys.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { lastSession } from "../test-support/rows.ts";
import { startService, type TestService } from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

async function certificate(session: TestSession) {
  const answer = await session.call("deviceClientCertificate");
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(["certificateChain"]);
  const [intermediate, leaf] = splitDer(fromBase64(answer.body.certificateChain));
  if (intermediate === undefined || leaf === undefined) throw new Error("not two certificates");
  return { intermediate, leaf, chain: [leaf, intermediate] };
}
const verified = async (session: TestSession) => {
  const { chain } = await certificate(session);
  return verifyChain({
    chain,
    anchors: [service.settings.ca.root],
    eku: EKU_CLIENT,
    at: new Date(service.now()),
  });
};

describe("a client certificate", () => {
  it("comes as intermediate and leaf, concatenated and encoded once", async () => {
    const { intermediate } = await certificate(await guestSession(service));
    expect(intermediate).toEqual(service.settings.ca.intermediate);
  });

  it("chains to the operator's root", async () => {
    const leaf = await verified(await guestSession(service));
    expect(leaf.notBefore.getTime()).toBeLessThanOrEqual(service.now());
    expect(leaf.notAfter.getTime() - service.now()).toBeGreaterThan(6.99 * 86_400_000);
    expect(leaf.notAfter.getTime() - service.now()).toBeLessThanOrEqual(7 * 86_400_000);
  });

  it("certifies the key of the login", async () => {
    const session = await guestSession(service);
    expect((await verified(session)).spki).toEqual(await spkiOf(session.app.jwk));
  });

  it("certifies the key of the DPoP proof where the login had no other", async () => {
    const session = await staffSession(service, { dpop: true });
    expect((await verified(session)).spki).toEqual(await spkiOf(session.app.jwk));
  });

  it("is for a discarded key, each time another, where the session proved none", async () => {
    const session = await staffSession(service);
    const [a, b] = [await verified(session), await verified(session)];
    expect(a.spki).not.toEqual(b.spki);
    expect(a.spki).not.toEqual(await spkiOf(session.app.jwk));
  });

  it("names no person", async () => {
    const { leaf } = await certificate(await staffSession(service));
    expect(new TextDecoder("latin1").decode(leaf)).not.toContain("kiosk");
  });

  it("is on record with its serial number, key and session, and without the person", async () => {
    const session = await guestSession(service);
    const { leaf, chain } = await certificate(session);
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
    const { notAfter } = await verifyChain({
      ...{ chain, anchors: [service.settings.ca.root], eku: EKU_CLIENT, at: new Date(service.now()) },
    });
    expect(row?.expiresAt).toBeGreaterThanOrEqual(notAfter.getTime());
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

  it("is issued whatever the body and its type", async () => {
    const session = await guestSession(service);
    expect(
      (await session.call("deviceClientCertificate", "nonsense", { "Content-Type": "text/plain" })).status,
    ).toBe(200);
  });

  it("takes two D1 calls", async () => {
    const session = await guestSession(service, { dpop: true });
    const answer = await session.call("deviceClientCertificate");
    expect(answer.headers.get("Server-Timing")).toContain('desc="2"');
  });
});

async function spkiOf(jwk: { readonly x: string; readonly y: string }) {
  return copyBytes((await crypto.subtle.exportKey("spki", await importVerifyKey(jwk))) as ArrayBuffer);
}
