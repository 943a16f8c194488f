import { expect } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { type Bytes, concat, fromBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { type AppInstance, attestationObject, dpopProof, newAppInstance } from "./app-instance.ts";
import { newNonce } from "./logins.ts";
import { lastAudit } from "./rows.ts";
import { type Answer, expectError, PASSENGER_KEY, type TestService } from "./service.ts";

/** Logins by evidence that a platform or an authenticator made for one login. */

/** The nonce, key and challenge that evidence is made for. */
export interface EvidenceInput {
  readonly nonce: string;
  readonly app: AppInstance;
  /** SHA-256(UTF-8(nonce) ‖ thumbprint), rules §3. */
  readonly challenge: Bytes;
}

export interface PlatformLogin {
  readonly app?: AppInstance;
  readonly endpoint?: EndpointName & ("attestationSession" | "guestSession");
  readonly clientKey?: string;
  /** null leaves it out. */
  readonly email?: string | null;
  /** Whether the login carries a DPoP proof. */
  readonly dpop?: boolean;
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export const challengeFor = (nonce: string, jkt: string): Promise<Bytes> =>
  sha256(concat(utf8(nonce), fromBase64Url(jkt)));

/** Asks for a nonce, makes evidence for it, sends the statement; returns any answer. */
export async function platformLogin(
  service: TestService,
  makeEvidence: (input: EvidenceInput) => unknown,
  login: PlatformLogin = {},
): Promise<Answer> {
  const { endpoint = "attestationSession", clientKey = PASSENGER_KEY, email = "ada@example.org" } = login;
  const app = login.app ?? (await newAppInstance());
  const nonce = await newNonce(service);
  const evidence = await makeEvidence({ nonce, app, challenge: await challengeFor(nonce, app.jkt) });
  const claims = { nonce, now: service.now(), evidence, ...(email === null ? {} : { email }) };
  const body = { nonce, attestationObject: await attestationObject(app, claims) };
  const { path } = endpoints[endpoint];
  return service.call(endpoint, body, {
    [HEADER.clientKey]: clientKey,
    ...(login.dpop ? { DPoP: await dpopProof(app, { path, now: service.now() }) } : {}),
  });
}

/**
 * Asserts that an attestation was refused for `reason`, and that the caller does not learn it: the answer must be byte for
 * byte the one to evidence of an unknown format.
 */
export async function expectRefused(service: TestService, answer: Answer, reason: string): Promise<void> {
  expectError(answer, "invalid_attestation");
  expect(await lastAudit(service)).toMatchObject({ event: "invalid_attestation", reason });
  const plain = await platformLogin(service, () => ({ fmt: "invented" }));
  expect(answer.text).toBe(plain.text);
}
