import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { AttestationLoginRequest, GuestLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { attestationCredentials, type CredentialFormat, isPasskeyOfOneDay } from "../../db/schema.ts";
import { audited } from "../audit/log.ts";
import { soleAirline } from "../audit/refusals.ts";
import { requireLoginRate } from "../auth/rate-limits.ts";
import type { LoginContext } from "../context.ts";
import { type AnswersOf, inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { Verified } from "./attestation/evidence.ts";
import {
  claimedCredential,
  type EvidenceFormat,
  verifyEvidence,
  vouchesForEmail,
} from "./attestation/formats.ts";
import { type AttestationReason, attestationRefused } from "./attestation/refusal.ts";
import { type Statement, verifyStatement } from "./attestation/statement.ts";
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

/**
 * Credentials registered by attestations. Every statement names the client, so another client's credentials
 * are never found.
 */

const { clientId, format, id, counter } = attestationCredentials;

/**
 * Whether the credential counts, swept or not (rules §2): used of late, and no passkey that was used on one day only.
 * An attacker who makes thousands of passkeys uses each once; when one goes, every session that it opened has ended.
 */
const isValid = ({ now, settings: { limits } }: LoginContext): SQL => {
  const { createdAt, usedAt } = attestationCredentials;
  const isOfLate = sql`${usedAt} > ${now - limits.credentialUnusedSeconds * 1_000}`;
  const isOld = sql`${createdAt} <= ${now - limits.refreshFamilySeconds * 1_000}`;
  return sql`(${isOfLate} and not (${isPasskeyOfOneDay(attestationCredentials)} and ${isOld}))`;
};

/** Reads the credential `claimed`, for a batch. */
const findCredential = (
  ctx: LoginContext,
  claimed: { readonly format: CredentialFormat; readonly id: string },
) =>
  ctx.db
    .select({ id, publicKey: attestationCredentials.publicKey, counter, sub: attestationCredentials.sub })
    .from(attestationCredentials)
    .where(and(eq(clientId, ctx.client.id), eq(format, claimed.format), eq(id, claimed.id), isValid(ctx)));

/**
 * The change that `verified` makes, for the batch that opens the session. It returns a row only if the change
 * was made. If another login was faster, the second statement writes the refusal's audit row.
 */
function credentialChange(ctx: LoginContext, verified: Verified, sub: string) {
  if (verified.kind === "key") return undefined;
  const change = verified.kind === "registered" ? register(ctx, verified, sub) : use(ctx, verified);
  const name = verified.kind === "registered" ? verified.id : verified.credential.id;
  return { change, audit: auditUnlessChanged(ctx, verified.format, name) };
}

const OVERTAKEN: AttestationReason = "credential_changed_meanwhile";

/** Checks the rows of {@link credentialChange}. Throws `invalid_attestation` where another login was faster. */
function requireChanged(answers: AnswersOf<ReturnType<typeof credentialChange>>): void {
  if (answers?.change.length === 0)
    throw new ApiError("invalid_attestation", { reason: OVERTAKEN, isAudited: true });
}

function register(ctx: LoginContext, verified: Verified & { kind: "registered" }, sub: string) {
  const { db, client, now, requestId } = ctx;
  const { kind: _, ...credential } = verified;
  return db
    .insert(attestationCredentials)
    .values({ ...credential, clientId: client.id, sub, createdAt: now, usedAt: now, requestId })
    .onConflictDoNothing()
    .returning({ id });
}

function use({ db, client, now, requestId }: LoginContext, verified: Verified & { kind: "used" }) {
  // A counter in use must rise, whichever login came in between; one that is not in use stays 0.
  const isFresh = verified.counter === 0 ? eq(counter, 0) : lt(counter, verified.counter);
  return db
    .update(attestationCredentials)
    .set({ counter: verified.counter, usedAt: now, requestId })
    .where(and(eq(clientId, client.id), eq(format, verified.format), eq(id, verified.credential.id), isFresh))
    .returning({ id });
}

function auditUnlessChanged(ctx: LoginContext, kind: CredentialFormat, name: string) {
  const { db, client, requestId } = ctx;
  const changed = db
    .select({ id })
    .from(attestationCredentials)
    .where(
      and(
        eq(clientId, client.id),
        eq(format, kind),
        eq(id, name),
        eq(attestationCredentials.requestId, requestId),
      ),
    );
  const entry = { event: "invalid_attestation", airline: soleAirline(client), reason: OVERTAKEN } as const;
  return audited(ctx, { ...entry, clientId: client.id }, sql`where not exists ${changed}`);
}
