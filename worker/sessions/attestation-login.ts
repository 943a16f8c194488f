import type { AttestationLoginRequest, GuestLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { requireLoginRate } from "../auth/rate-limits.ts";
import type { LoginContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { Verified } from "./attestation/evidence.ts";
import {
  claimedCredential,
  type EvidenceFormat,
  verifyEvidence,
  vouchesForEmail,
} from "./attestation/formats.ts";
import { attestationRefused } from "./attestation/refusal.ts";
import { type Statement, verifyStatement } from "./attestation/statement.ts";
import { credentialChange, findCredential, requireChanged } from "./attestation-credentials.ts";
import { burnNonce, type Nonce, readNonce, refuseByChaos } from "./nonces.ts";
import { openSession, permitMethod, requireKey, subjectOf } from "./open-session.ts";

/** Logins by attestation (endpoints 3 and 4): nonce, statement, evidence, then a session for the statement's key. */

/** Endpoint 4. Throws `unauthorized_client`, `invalid_nonce`, `invalid_attestation`, `invalid_dpop_proof`. */
export async function guestLogin(ctx: LoginContext, request: GuestLoginRequest): Promise<LoginResponse> {
  permitMethod(ctx.client, "guest");
  const attested = await attest(ctx, request);
  return logIn(ctx, "guest", attested, await ownSubject(ctx, attested));
}

/** Endpoint 3: needs an e-mail, and evidence stronger than a key. Throws like {@link guestLogin}. */
export async function identifiedLogin(
  ctx: LoginContext,
  request: AttestationLoginRequest,
): Promise<LoginResponse> {
  permitMethod(ctx.client, "attestation");
  const attested = await attest(ctx, request, ({ statement, format }) => {
    if (statement.email === undefined) throw attestationRefused("statement_no_email");
    if (format === "none") throw attestationRefused("evidence_too_weak");
  });
  const { email = "" } = attested.statement;
  const own = await ownSubject(ctx, attested);
  const isTrusted = ctx.client.flags.emailTrusted === true && vouchesForEmail(attested.format);
  const sub = isTrusted ? await subjectOf(ctx, ctx.client, "email", foldEmail(email)) : own;
  return logIn(ctx, "attestation", attested, own, sub);
}

interface Attested {
  readonly nonce: Nonce;
  readonly statement: Statement;
  readonly format: EvidenceFormat;
  readonly verified: Verified;
}

/** Verifies nonce, statement and evidence, and whatever `check` asks of them; a nonce of ours is used up either way. */
async function attest(
  ctx: LoginContext,
  { nonce: text, attestationObject }: GuestLoginRequest,
  check: (attested: Attested) => void = () => undefined,
): Promise<Attested> {
  const nonce = await readNonce(ctx, text);
  try {
    refuseByChaos(ctx);
    const statement = await verifyStatement(ctx, attestationObject, text);
    if (!(ctx.client.evidenceKinds as readonly string[]).includes(statement.evidence.fmt)) {
      throw attestationRefused("evidence_not_allowed_for_client");
    }
    const attested = {
      nonce,
      statement,
      ...(await verifyEvidence(ctx, statement, await credentialOf(ctx, statement))),
    };
    check(attested);
    requireKey(ctx, statement);
    return attested;
  } catch (error) {
    if (error instanceof ApiError) await burnNonce(ctx, nonce);
    throw error;
  }
}

/** The credential that a statement claims, where its evidence is of a kind that registers one. */
async function credentialOf(ctx: LoginContext, { evidence }: Statement) {
  const claimed = claimedCredential(evidence);
  if (claimed === undefined) return undefined;
  return (await inBatch(ctx.db, { found: findCredential(ctx, claimed) })).found[0];
}

/** The subject of an attestation: the credential where there is one, the key otherwise; the e-mail is an attribute (rules §3). */
async function ownSubject(ctx: LoginContext, { statement, verified }: Attested): Promise<string> {
  if (verified.kind === "used") return verified.credential.sub;
  if (verified.kind === "key") return subjectOf(ctx, ctx.client, "key", statement.jkt);
  return subjectOf(ctx, ctx.client, verified.format, verified.id);
}

/** Providers ignore the case of addresses. */
const foldEmail = (email: string) => email.normalize("NFC").toLowerCase();

/** `own` is the subject of the credential, `sub` the subject that logs in with it. */
async function logIn(
  ctx: LoginContext,
  method: "guest" | "attestation",
  { nonce, statement, format, verified }: Attested,
  own: string,
  sub: string = own,
): Promise<LoginResponse> {
  await requireLoginRate(ctx, method === "guest" ? "guestSession" : "attestationSession");
  const login = { method, evidence: format, key: statement.key, sub, nonce };
  return openSession(ctx, login, credentialChange(ctx, verified, own), requireChanged);
}
