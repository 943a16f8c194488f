import { type SQL, sql } from "drizzle-orm";
import { index, integer, primaryKey, type SQLiteColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { clients, type Evidence, type LoginMethod } from "./clients.ts";
import { flag, instant, list } from "./columns.ts";

/** Logins and what they leave behind: sessions, credentials, what was used once, certificates. */

/**
 * One login and its family of refresh tokens, of which the live one is number `refreshCounter`; revoking the session
 * ends access and refresh alike.
 */
export const sessions = sqliteTable("sessions", {
  /** Begins with the time, so that old rows are found in order (`sessionIdAt`). */
  id: text().primaryKey(),
  sub: text().notNull(),
  clientId: text("client_id")
    .notNull()
    .references(() => clients.id),
  /** False until the first call with a client key, for sessions opened without one. */
  clientBound: flag("client_bound").notNull(),
  method: text().$type<LoginMethod>().notNull(),
  evidence: text().$type<Evidence>().notNull(),
  scopes: list("scopes").notNull(),
  /** Airlines a staff session acts for; empty for passengers. */
  airlines: list("airlines").notNull(),
  /** Public half of the key endpoint 7 certifies; null = unbound. */
  keyJwk: text("key_jwk", { mode: "json" }).$type<PublicKeyJwk>(),
  /** SHA-256 of the key's SubjectPublicKeyInfo, base64url, by which a revocation names it; null = unbound. */
  keySpkiHash: text("key_spki_hash"),
  /** RFC 7638 thumbprint that every later DPoP proof must match; null = plain Bearer. */
  dpopJkt: text("dpop_jkt"),
  refreshCounter: integer("refresh_counter").notNull(),
  /** Of the live refresh token. */
  refreshHash: text("refresh_hash").notNull(),
  refreshedAt: instant("refreshed_at").notNull(),
  refreshExpiresAt: instant("refresh_expires_at").notNull(),
  createdAt: instant("created_at").notNull(),
  /** Absolute end of the family. */
  expiresAt: instant("expires_at").notNull(),
  revokedAt: instant("revoked_at"),
});

/** A P-256 public key with exactly these members. */
export interface PublicKeyJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** Evidence formats whose first use registers a key that later uses are checked with. */
export type CredentialFormat = "webauthn" | "apple-appattest";

/**
 * A condition over credentials: a passkey without a use on a later day than its first. In the index word for
 * word, or SQLite does not use it.
 */
export const isPasskeyOfOneDay = ({
  format,
  usedAt,
  createdAt,
}: Readonly<Record<"format" | "usedAt" | "createdAt", SQLiteColumn>>): SQL =>
  sql`${format} = 'webauthn' and ${usedAt} - ${createdAt} < 86400000`;

/**
 * Keys registered by an attestation, each for one client: another client's keys are never found (rules §3).
 */
export const attestationCredentials = sqliteTable(
  "attestation_credentials",
  {
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id, { onDelete: "cascade" }),
    format: text().$type<CredentialFormat>().notNull(),
    /** Credential id or key id, base64url. */
    id: text().notNull(),
    /** COSE_Key (webauthn) or SubjectPublicKeyInfo (apple-appattest), base64url. */
    publicKey: text("public_key").notNull(),
    /** Signature counter of the latest use. */
    counter: integer().notNull(),
    /** How to reach the authenticator, in its own words. */
    transports: list("transports").notNull(),
    /** Who logs in with it. */
    sub: text().notNull(),
    createdAt: instant("created_at").notNull(),
    usedAt: instant("used_at").notNull(),
    /** The request that used it last: the audit row of the same batch is conditional on it. */
    requestId: text("request_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.format, table.id] }),
    index("attestation_credentials_by_use").on(table.usedAt),
    index("attestation_credentials_used_once").on(table.createdAt).where(isPasskeyOfOneDay(table)),
  ],
);

/**
 * What may be used once and has been: DPoP proofs and host tokens by a hash over their `jti` and whose it is, nonces of
 * failed logins. `endsAt` follows from the thing itself: from then on it is refused anyway.
 */
export const usedOnce = sqliteTable(
  "used_once",
  { endsAt: instant("ends_at").notNull(), hash: text().notNull() },
  (table) => [primaryKey({ columns: [table.endsAt, table.hash] })],
);

/** Client certificates issued by endpoint 7. */
export const certificates = sqliteTable(
  "certificates",
  {
    sessionId: text("session_id").notNull(),
    /** Hexadecimal. */
    serial: text().notNull(),
    /** As {@link clientId}: empty; of a row of an older version the session's. */
    sub: text().notNull(),
    clientId: text("client_id").notNull(),
    /** Hash of the certified SubjectPublicKeyInfo, by which its key is revoked. */
    spkiHash: text("spki_hash").notNull(),
    issuedAt: instant("issued_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.serial] })],
);

/** Keys that get no more transaction tokens, by the hash of their SubjectPublicKeyInfo: for ever. */
export const revokedKeys = sqliteTable("revoked_keys", {
  spkiHash: text("spki_hash").primaryKey(),
  revokedAt: instant("revoked_at").notNull(),
});
