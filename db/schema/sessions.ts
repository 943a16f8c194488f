import { type SQL, sql } from "drizzle-orm";
import { index, integer, primaryKey, type SQLiteColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { clients, type Evidence, type LoginMethod } from "./clients.ts";
import { flag, instant, list } from "./columns.ts";

/** Logins and what they leave behind: sessions, refresh tokens, nonces, credentials, proofs, certificates. */

/**
 * One login and its family of refresh tokens. The live refresh token is the row of {@link refreshTokens} whose
 * counter equals `refreshCounter`; revoking the session ends access and refresh alike.
 */
export const sessions = sqliteTable(
  "sessions",
  {
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
    /** RFC 7638 thumbprint that every later DPoP proof must match; null = plain Bearer. */
    dpopJkt: text("dpop_jkt"),
    refreshCounter: integer("refresh_counter").notNull(),
    refreshedAt: instant("refreshed_at").notNull(),
    refreshExpiresAt: instant("refresh_expires_at").notNull(),
    createdAt: instant("created_at").notNull(),
    /** Absolute end of the family. */
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    // Never later than `expiresAt`: the sweeper finds dead sessions by it.
    index("sessions_by_end").on(table.refreshExpiresAt),
    index("sessions_by_sub").on(table.sub),
  ],
);

/** A P-256 public key with exactly these members. */
export interface PublicKeyJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** Hashes of every refresh token of a family: an old one that comes back is theft, not a stranger's guess. */
export const refreshTokens = sqliteTable(
  "refresh_tokens",
  {
    hash: text().primaryKey(),
    sessionId: text("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    counter: integer().notNull(),
  },
  (table) => [index("refresh_tokens_by_session").on(table.sessionId)],
);

/** Nonces of endpoint 2, by hash; using one deletes it. */
export const attestationNonces = sqliteTable(
  "attestation_nonces",
  { hash: text().primaryKey(), expiresAt: instant("expires_at").notNull() },
  (table) => [index("attestation_nonces_by_end").on(table.expiresAt)],
);

/** Evidence formats whose first use registers a key that later uses are checked with. */
export type CredentialFormat = "webauthn" | "apple-appattest";

/**
 * A condition over credentials: a passkey that nobody has used on a later day than its first. In the index word for
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
 * DPoP proofs and host tokens seen: a hash over their `jti` and whose it is; kept as long as such a one could
 * be accepted.
 */
export const dpopProofs = sqliteTable(
  "dpop_proofs",
  { hash: text().primaryKey(), expiresAt: instant("expires_at").notNull() },
  (table) => [index("dpop_proofs_by_end").on(table.expiresAt)],
);

/** Client certificates issued by endpoint 7. */
export const certificates = sqliteTable(
  "certificates",
  {
    /** Hexadecimal. */
    serial: text().primaryKey(),
    sessionId: text("session_id").notNull(),
    sub: text().notNull(),
    clientId: text("client_id").notNull(),
    /** Hash of the certified SubjectPublicKeyInfo, by which a revocation is found. */
    spkiHash: text("spki_hash").notNull(),
    issuedAt: instant("issued_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    index("certificates_by_key").on(table.spkiHash, table.revokedAt),
    index("certificates_by_session").on(table.sessionId, table.issuedAt),
    // A revoked row stays: while it is there, its key gets no transaction tokens.
    index("certificates_by_end").on(table.expiresAt).where(sql`${table.revokedAt} is null`),
  ],
);
