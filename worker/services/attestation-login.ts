import type { AttestationLoginRequest, GuestLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { verifyEvidence } from "../attestation/formats.ts";
import { attestationRefused, type Statement, verifyStatement } from "../attestation/statement.ts";
import type { LoginContext } from "../context.ts";
import { burnNonce } from "./nonces.ts";
import { type Login, openSession, permitMethod, subjectOf } from "./open-session.ts";

/** Logins by attestation (endpoints 3 and 4): nonce, statement, evidence, then a session for the statement's key. */

/** Endpoint 4. Throws `unauthorized_client`, `invalid_nonce`, `invalid_attestation`, `invalid_dpop_proof`. */
export async function guestLogin(ctx: LoginContext, request: GuestLoginRequest): Promise<LoginResponse> {
  permitMethod(ctx.client, "guest");
  const { statement, evidence } = await attested(ctx, request);
  return openSession(ctx, await loginOf(ctx, "guest", statement, evidence));
}

/** Endpoint 3: an e-mail, and evidence stronger than a key. Throws like {@link guestLogin}. */
export async function identifiedLogin(
  ctx: LoginContext,
  request: AttestationLoginRequest,
): Promise<LoginResponse> {
  permitMethod(ctx.client, "attestation");
  const { statement, evidence } = await attested(ctx, request);
  if (statement.email === undefined) throw attestationRefused("no e-mail");
  if (evidence === "none") throw attestationRefused("evidence too weak");
  return openSession(ctx, await loginOf(ctx, "attestation", statement, evidence));
}

async function attested(ctx: LoginContext, { nonce, attestationObject }: GuestLoginRequest) {
  await burnNonce(ctx, nonce);
  const statement = await verifyStatement(ctx, attestationObject, nonce);
  if (!(ctx.client.evidenceKinds as readonly string[]).includes(statement.evidence.fmt)) {
    throw attestationRefused("evidence format not allowed for the client");
  }
  return { statement, evidence: await verifyEvidence(ctx, statement) };
}

/** The key is the identity for every format built so far; the e-mail is an attribute (decisions §3). */
async function loginOf(
  ctx: LoginContext,
  method: "guest" | "attestation",
  { key, jkt }: Statement,
  evidence: Login["evidence"],
): Promise<Login> {
  return { method, evidence, key, sub: await subjectOf(ctx, ctx.client, "key", jkt) };
}
