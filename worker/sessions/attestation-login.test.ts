import { beforeAll, describe, expect, it } from "vitest";
import { type EndpointName, endpoints } from "../../core/api/index.ts";
import { clients } from "../../db/schema.ts";
import { hmacText } from "../secrets/sealed.ts";
import {
  type AppInstance,
  attestationObject,
  demoEvidence,
  newAppInstance,
} from "../test-support/app-instance.ts";
import { attestedSession, guestSession, newNonce } from "../test-support/logins.ts";
import { changeRow, lastAudit, lastSession } from "../test-support/rows.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

const STAFF_SCOPES = ["journey:write", "tag:release", "audit:read", "bag:trace"] as const;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** Logs in with a statement whose members may be replaced; the rest of it is right. */
async function attempt(
  name: EndpointName,
  change: Record<string, unknown> = {},
  body: Record<string, unknown> = {},
) {
  const app = await newAppInstance();
  const nonce = await newNonce(service);
  const email = name === "attestationSession" ? { email: "ada@example.org" } : {};
  const evidence =
    name === "attestationSession"
      ? await demoEvidence(app, { nonce, email: "ada@example.org" })
      : { fmt: "none" };
  const statement = await attestationObject(app, {
    nonce,
    now: service.now(),
    ...email,
    evidence,
    ...change,
  });
  return service.call(name, { nonce, attestationObject: statement, ...body });
}

describe("nonces", () => {
  it("have the time of their end", async () => {
    const { body } = await service.call("nonce");
    expect(body).toEqual({
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: new Date(service.now() + 300_000).toISOString(),
      ttlSeconds: 300,
    });
  });

  it("are refused at the chosen rate when chaos is asked for", async () => {
    const chaotic = await startService({ CHAOS_NONCE_REJECT: "1" });
    await expect(guestSession(chaotic)).rejects.toThrow("invalid_nonce");
    expect(await lastAudit(chaotic)).toMatchObject({ reason: "chaos" });
  });
});

describe.each(["guestSession", "attestationSession"] as const)("%s", (name) => {
  it("refuses a statement for another audience, and records the reason in the audit log only", async () => {
    const answer = await attempt(name, { aud: "another" });
    expectError(answer, "invalid_attestation");
    expect(answer.text).not.toContain("AUD");
    expect(await lastAudit(service)).toMatchObject({
      event: "invalid_attestation",
      reason: "ERR_JWT_CLAIM_VALIDATION_FAILED",
      requestId: answer.headers.get("X-Request-Id"),
    });
  });
});

describe("statements", () => {
  type Header = Record<string, unknown>;
  type HeaderOf = (app: AppInstance) => Header | Promise<Header>;

  /** A guest's login with a statement of this type, and these members in its header. */
  async function signed(headerOf: HeaderOf = () => ({}), typ = "ebt-attestation+jwt") {
    const app = await newAppInstance();
    const nonce = await newNonce(service);
    const claims = { nonce, aud: "taglatch", iat: 0, evidence: { fmt: "none" } };
    const jws = await app.sign(typ, claims, await headerOf(app));
    return service.call("guestSession", { nonce, attestationObject: jws });
  }

  it("may be dated by a phone whose clock is wrong", async () => {
    expect((await signed()).status).toBe(200);
  });

  it.each<[string, HeaderOf, string?]>([
    ["another key in their header", async () => ({ jwk: (await newAppInstance()).jwk })],
    [
      "a private key",
      async ({ jwk, privateKey }) => {
        const { d } = (await crypto.subtle.exportKey("jwk", privateKey)) as JsonWebKey;
        return { jwk: { ...jwk, d } };
      },
    ],
    ["another type", () => ({}), "JWT"],
  ])("are refused with %s", async (_, headerOf, typ) => {
    expectError(await signed(headerOf, typ), "invalid_attestation");
  });
});

describe("a guest", () => {
  it("keeps the pseudonym that goes with the key, release after release", async () => {
    const { jkt } = (await guestSession(service)).app;
    const { pepperKey } = service.settings;
    const { sub } = await lastSession(service);
    expect(sub).toBe(await hmacText(pepperKey, "sub", "client-passenger", "key", jkt));
  });

  it("has no scope of staff, whatever the client key hands out", async () => {
    const other = await startService();
    const scopes = [...STAFF_SCOPES, "tag:read"] as const;
    await changeRow(other.db, clients, "client-passenger", { scopes });
    await guestSession(other);
    expect((await lastSession(other)).scopes).toEqual(["tag:read"]);
    await startService();
  });

  it("is the default client's without a key", async () => {
    const app = await newAppInstance();
    const nonce = await newNonce(service);
    const statement = await attestationObject(app, { nonce, now: service.now() });
    const answer = await service.post(endpoints.guestSession.path, { nonce, attestationObject: statement });
    expect(answer.status).toBe(200);
    expect((await lastSession(service)).clientId).toBe("client-passenger");
  });

  it("is refused without a key and without a default client", async () => {
    const closed = await startService({ DEFAULT_CLIENT_ID: "none" });
    expectError(await closed.post("/v2/auth/guest/sessions", {}), "unauthorized_client");
  });

  it("is refused where the client accepts no bare keys", async () => {
    const strict = await startService();
    await changeRow(strict.db, clients, "client-passenger", { evidenceKinds: ["demo"] });
    await expect(guestSession(strict)).rejects.toThrow("invalid_attestation");
    expect(await lastAudit(strict)).toMatchObject({ reason: "evidence_not_allowed_for_client" });
    await startService();
  });
});

describe("an identified passenger", () => {
  it("has the evidence on record, and no e-mail", async () => {
    await attestedSession(service, { email: "ada@example.org" });
    const row = await lastSession(service);
    expect(row).toMatchObject({ evidence: "demo", method: "attestation" });
    expect(JSON.stringify(row)).not.toContain("ada@");
  });

  it.each([
    ["no e-mail", "demo_another_email", { email: undefined }],
    ["an e-mail the evidence does not name", "demo_another_email", { email: "eve@example.org" }],
    ["evidence of a mere key", "evidence_too_weak", { evidence: { fmt: "none" } }],
    ["a mere key and no e-mail", "statement_no_email", { email: undefined, evidence: { fmt: "none" } }],
    [
      "evidence with nonsense for a token",
      "demo: ERR_JWS_INVALID",
      { evidence: { fmt: "demo", token: "a.b.c" } },
    ],
  ])("is refused with %s", async (_, reason, change) => {
    expectError(await attempt("attestationSession", change), "invalid_attestation");
    expect(await lastAudit(service)).toMatchObject({ reason });
  });

  it("is refused with evidence about another key or another nonce", async () => {
    const email = "ada@example.org";
    const [app, other] = [await newAppInstance(), await newAppInstance()];
    for (const wrong of [{ jkt: other.jkt }, { nonce: "another" }]) {
      const nonce = await newNonce(service);
      const evidence = await demoEvidence(app, { nonce, email, ...wrong });
      const statement = await attestationObject(app, { nonce, now: service.now(), email, evidence });
      expectError(
        await service.call("attestationSession", { nonce, attestationObject: statement }),
        "invalid_attestation",
      );
    }
  });

  it("is refused with the development evidence in production", async () => {
    const production = await startService({ ENVIRONMENT: "production" });
    await expect(attestedSession(production)).rejects.toThrow("invalid_attestation");
  });
});
