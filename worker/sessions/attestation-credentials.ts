import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { attestationCredentials, type CredentialFormat, isPasskeyOfOneDay } from "../../db/schema.ts";
import { audited } from "../audit/log.ts";
import { soleAirline } from "../audit/refusals.ts";
import type { LoginContext } from "../context.ts";
import type { AnswersOf } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { Verified } from "./attestation/evidence.ts";
import type { AttestationReason } from "./attestation/refusal.ts";

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
export const findCredential = (
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
export function credentialChange(ctx: LoginContext, verified: Verified, sub: string) {
  if (verified.kind === "key") return undefined;
  const change = verified.kind === "registered" ? register(ctx, verified, sub) : use(ctx, verified);
  const name = verified.kind === "registered" ? verified.id : verified.credential.id;
  return { change, audit: auditUnlessChanged(ctx, verified.format, name) };
}

const OVERTAKEN: AttestationReason = "credential_changed_meanwhile";

/** Checks the rows of {@link credentialChange}. Throws `invalid_attestation` where another login was faster. */
export function requireChanged(answers: AnswersOf<ReturnType<typeof credentialChange>>): void {
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
