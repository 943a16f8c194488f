import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { sessions, usedOnce } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { attestationObject, newAppInstance } from "../test-support/app-instance.ts";
import { rowsIn } from "../test-support/database.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { federatedSession, newNonce } from "../test-support/logins.ts";
import { lastAudit } from "../test-support/rows.ts";
import { expectError, PARTNER_KEY, startService, type TestService } from "../test-support/service.ts";
import { refuseByChaos } from "./nonces.ts";

/** A nonce of endpoint 2 leaves no row, and opens one session at most (rules §3, ADR 28). */

let service: TestService;
beforeEach(async () => {
  service = await startService();
});

/** A guest's login with `nonce`, by a key of its own each time; the statement contains `signed`. */
async function login(nonce: string, signed = nonce, at = service) {
  const app = await newAppInstance();
  const statement = await attestationObject(app, { nonce: signed, now: at.now() });
  return at.call("guestSession", { nonce, attestationObject: statement });
}
const opened = () => service.db.$count(sessions);

describe("a nonce", () => {
  it("costs no row and no call, and its login one row", async () => {
    const before = await rowsIn(env.DB);
    const nonce = await newNonce(service);
    expect(service.log.at(-1)).toMatchObject({ calls: 0, rowsWritten: 0 });
    expect(await rowsIn(env.DB)).toEqual(before);
    await login(await newNonce(service));
    expect((await login(nonce)).status).toBe(200);
    expect(service.log.at(-1)).toMatchObject({ calls: 2, rowsWritten: 1 });
  });

  it("opens one session, however many callers use it at once", async () => {
    const before = await opened();
    const nonce = await newNonce(service);
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(nonce)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, "invalid_nonce");
    expect(await opened()).toBe(before + 1);
    expectError(await login(nonce), "invalid_nonce");
    expectError(await login(nonce, nonce, await startService()), "invalid_nonce");
  });

  it("is burnt by a login that fails, and then opens nothing", async () => {
    const before = await opened();
    const nonce = await newNonce(service);
    expectError(await login(nonce, "another"), "invalid_attestation");
    expectError(await login(nonce), "invalid_nonce");
    expectError(await login(nonce, "another"), "invalid_nonce");
    expect(await lastAudit(service)).toMatchObject({ reason: "unknown or used" });
    expect(await opened()).toBe(before);
  });

  it("is not called used where its login failed for another reason, and is good for another try", async () => {
    const { database, beforeCall } = interruption();
    service = await startService({}, undefined, { database });
    beforeCall(2, async () => {
      throw new Error("D1_ERROR: no such table: sessions: SQLITE_ERROR");
    });
    const nonce = await newNonce(service);
    expectError(await login(nonce), "internal_error");
    expect((await login(nonce)).status).toBe(200);
  });

  it("is not looked up for a login without one, which reports that the database is out of reach", async () => {
    const { database, beforeCall } = interruption();
    service = await startService({}, undefined, { database });
    beforeCall(3, async () => {
      throw new Error("D1_ERROR: Network connection lost.");
    });
    await expect(federatedSession(service)).rejects.toThrow("service_unavailable");
    expect(service.log.at(-1)).toMatchObject({ calls: 3 });
  });

  it("is not burnt for a client that may not use it", async () => {
    const nonce = await newNonce(service);
    const body = { nonce, attestationObject: "x" };
    const key = { [HEADER.clientKey]: PARTNER_KEY };
    for (const name of ["guestSession", "attestationSession"] as const)
      expectError(await service.call(name, body, key), "unauthorized_client");
    expect((await login(nonce)).status).toBe(200);
  });

  it("is good for five minutes, not a millisecond more", async () => {
    const [first, second] = [await newNonce(service), await newNonce(service)];
    service.advance(299.999);
    expect((await login(first)).status).toBe(200);
    service.advance(0.001);
    expectError(await login(second), "invalid_nonce");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_nonce", reason: "expired" });
  });

  it.each<[string, (nonce: string) => string]>([
    ["with another end", (nonce) => `${nonce[0] === "A" ? "B" : "A"}${nonce.slice(1)}`],
    [
      "with other random bits",
      (nonce) => nonce.slice(0, 12) + (nonce[12] === "A" ? "B" : "A") + nonce.slice(13),
    ],
    ["with another HMAC", (nonce) => nonce.slice(0, 30) + (nonce[30] === "A" ? "B" : "A") + nonce.slice(31)],
    ["that is no base64url", () => "?".repeat(43)],
  ])("of one's own making, %s, is none of ours and leaves no row", async (_, forge) => {
    const before = await service.db.$count(usedOnce);
    const answer = await login(forge(await newNonce(service)) || "x");
    expectError(answer, "invalid_nonce");
    expect(await service.db.$count(usedOnce)).toBe(before);
  });
});

it.each([
  ["comes below the share", 0.5, 0x7fff, true],
  ["does not come from the share on", 0.5, 0x8000, false],
  ["always comes where all are to be refused", 1, 0xffff, true],
])("a refusal by chaos %s", (_, chaosNonceReject, drawn, isRefused) => {
  const random = () => new Uint8Array([drawn >> 8, drawn & 0xff]);
  const refuse = () => refuseByChaos({ settings: { chaosNonceReject }, random } as unknown as RequestContext);
  if (isRefused) expect(refuse).toThrow(expect.objectContaining({ code: "invalid_nonce" }));
  else expect(refuse).not.toThrow();
});
