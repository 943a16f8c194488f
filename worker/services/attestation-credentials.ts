import { and, eq, lt } from "drizzle-orm";
import { attestationCredentials, type CredentialFormat } from "../../db/schema.ts";
import type { StoredCredential, Verified } from "../attestation/evidence.ts";
import { attestationRefused } from "../attestation/refusal.ts";
import type { LoginContext } from "../context.ts";

/** Credentials registered by attestations. Every statement names the client: another client's are not there. */

const { clientId, format, id, counter } = attestationCredentials;

/** Reads the credential `claimed`, for a batch. */
export const findCredential = (
  { db, client }: LoginContext,
  claimed: { readonly format: CredentialFormat; readonly id: string },
) =>
  db
    .select({ id, publicKey: attestationCredentials.publicKey, counter, sub: attestationCredentials.sub })
    .from(attestationCredentials)
    .where(and(eq(clientId, client.id), eq(format, claimed.format), eq(id, claimed.id)));

/** The row {@link findCredential} found. */
export const foundCredential = (rows: readonly unknown[]) => rows[0] as StoredCredential | undefined;

/** The change `verified` makes, for the batch that opens the session; it returns a row only if it was made. */
export function credentialChange(ctx: LoginContext, verified: Verified, sub: string) {
  if (verified.kind === "registered") return [register(ctx, verified, sub)];
  return verified.kind === "used" ? [use(ctx, verified)] : [];
}

/** Judges the rows of {@link credentialChange}. Throws `invalid_attestation` where another login was faster. */
export function requireChanged(changes: readonly (readonly unknown[])[]): void {
  if (changes.some((rows) => rows.length === 0)) throw attestationRefused("credential_changed_meanwhile");
}

function register(
  { db, client, now }: LoginContext,
  verified: Verified & { kind: "registered" },
  sub: string,
) {
  const { kind: _, ...credential } = verified;
  return db
    .insert(attestationCredentials)
    .values({ ...credential, clientId: client.id, sub, createdAt: now, usedAt: now })
    .onConflictDoNothing()
    .returning({ id });
}

function use({ db, client, now }: LoginContext, verified: Verified & { kind: "used" }) {
  // A counter that counts must rise whoever was here in between; one that does not stays 0.
  const unused = verified.counter === 0 ? eq(counter, 0) : lt(counter, verified.counter);
  return db
    .update(attestationCredentials)
    .set({ counter: verified.counter, usedAt: now })
    .where(and(eq(clientId, client.id), eq(format, verified.format), eq(id, verified.credential.id), unused))
    .returning({ id });
}
