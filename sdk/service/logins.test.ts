import { describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import { Database } from "../database.ts";
import { ServiceError } from "../errors.ts";
import { checkJws } from "../test-support/proofs.ts";
import type { Http } from "./http.ts";
import { Logins } from "./logins.ts";
import { ServiceClock } from "./service-clock.ts";
import { loadAppKey, type Session } from "./session.ts";

const signal = neverCancelled();

/** A guest's login whose nonces are as listed, and refused by `refusal`. */
async function guest(nonce: string | undefined, refusal?: ServiceError) {
  const key = await loadAppKey(new Database("logins"));
  const login = vi.fn(async (_method: string, _name: string, _body: { attestationObject: string }) => {
    if (refusal !== undefined) throw refusal;
    return { method: "guest", accessExpiresAt: 0 };
  });
  const session = { key: async () => key, login } as unknown as Session;
  const logins = new Logins({
    http: { send: async () => ({ nonce }) } as unknown as Http,
    configuration: async () => ({ issuer: "us", clientKey: "", clientRoots: [], tagRoots: [] }),
    clock: new ServiceClock(() => 1_999),
  });
  const outcome = await logins.guest(session, signal).catch((error: unknown) => error);
  return { outcome, login };
}

describe("an attestation", () => {
  test("is sent with its nonce, and says when it was made, in whole seconds", async () => {
    const { login } = await guest("n-1");
    const [method, name, body] = login.mock.calls[0] ?? [];
    expect([method, name, body]).toEqual([
      "guest",
      "guestSession",
      expect.objectContaining({ nonce: "n-1" }),
    ]);
    const [head = ""] = body?.attestationObject.split(".") ?? [];
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toMatchObject({
      typ: "ebt-attestation+jwt",
    });
    const { claims } = await checkJws(body?.attestationObject);
    expect(claims).toEqual({ nonce: "n-1", aud: "us", iat: 1, evidence: { fmt: "none" } });
  });

  test("is not made without a nonce", async () => {
    const { outcome, login } = await guest(undefined);
    expect(outcome).toMatchObject({ code: "invalid_answer" });
    expect(login).not.toHaveBeenCalled();
  });
});

describe("a nonce", () => {
  test("that is refused again and again is asked for eight times", async () => {
    const refusal = new ServiceError("invalid_nonce", "burnt");
    const { outcome, login } = await guest("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(8);
  });

  test("is not to blame for any other refusal", async () => {
    const refusal = new ServiceError("invalid_attestation", "no");
    const { outcome, login } = await guest("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(1);
  });
});
