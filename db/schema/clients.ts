import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, list } from "./columns.ts";

/** Who may call the service: client keys, ground staff, federated issuers. */

/** How a session was opened. */
export type LoginMethod = "federated" | "attestation" | "guest" | "b2b";
/** What stood behind the login; `none` is possession of a key alone (rules §2, §3). */
export type Evidence =
  | "none"
  | "demo"
  | "webauthn"
  | "apple-appattest"
  | "play-integrity"
  | "federated"
  | "b2b";

/** Switches of one client key; all default to off. */
export interface ClientFlags {
  readonly requireDpop?: boolean;
  readonly emailTrusted?: boolean;
  readonly requireLoadedJourney?: boolean;
  readonly requireApprovedContent?: boolean;
  /** A release of a lock names a member of {@link staffMembers}. */
  readonly requireStaffPin?: boolean;
  /** A booking that is not here is asked of the client's airlines that have a host (docs/acceptance.md). */
  readonly askAirlines?: boolean;
}

/** An application that may call the service (X-Source-App-Key); only the hash of its key is kept. */
export const clients = sqliteTable("clients", {
  id: text().primaryKey(),
  keyHash: text("key_hash").notNull().unique(),
  name: text().notNull(),
  enabled: flag("enabled").notNull().default(true),
  loginMethods: list<LoginMethod>("login_methods").notNull(),
  evidenceKinds: list<Evidence>("evidence_kinds").notNull(),
  /** What each kind of evidence must fulfil; read with `parseAttestationPolicy`. */
  attestationPolicy: text("attestation_policy", { mode: "json" }).$type<object>().notNull().default({}),
  /** Keys of {@link federatedIssuers}. */
  federatedIssuers: list("federated_issuers").notNull(),
  airlines: list("airlines").notNull(),
  scopes: list("scopes").notNull(),
  flags: text({ mode: "json" }).$type<ClientFlags>().notNull(),
  /** HMAC(PEPPER, X-B2B-Secret); absent = no B2B login. */
  b2bSecretHash: text("b2b_secret_hash"),
});

/** Web origins a client's pages may call from: exact, or `scheme://host:*` for every port of a host. */
export const clientOrigins = sqliteTable(
  "client_origins",
  {
    origin: text().notNull(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.origin, table.clientId] }),
    index("client_origins_by_client").on(table.clientId),
  ],
);

/** Ground staff accounts; `passwordHash` is a peppered scrypt PHC string. */
export const b2bAccounts = sqliteTable(
  "b2b_accounts",
  {
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    username: text().notNull(),
    passwordHash: text("password_hash").notNull(),
    airlines: list("airlines").notNull(),
    enabled: flag("enabled").notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.username] })],
);

/**
 * People who share an account: the audit log names them by id. `pinHash` is a peppered scrypt PHC string. A row stays
 * when a member leaves, so that no other gets the id.
 */
export const staffMembers = sqliteTable(
  "staff_members",
  {
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    /** Folded by `staffIdOf`. */
    staffId: text("staff_id").notNull(),
    pinHash: text("pin_hash").notNull(),
    enabled: flag("enabled").notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.staffId] })],
);

/** Their names, sealed under DATA_KEY: a table of its own, so that a name can go while the audit log stays. */
export const staffNames = sqliteTable(
  "staff_names",
  {
    clientId: text("client_id").notNull(),
    staffId: text("staff_id").notNull(),
    nameSealed: text("name_sealed").notNull(),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.staffId] })],
);

/** Hosts whose JWTs are trusted at endpoint 1; keys inline or by URL. */
export const federatedIssuers = sqliteTable(
  "federated_issuers",
  {
    issuer: text().primaryKey(),
    audience: text().notNull(),
    jwks: text({ mode: "json" }).$type<{ readonly keys: readonly Record<string, unknown>[] }>(),
    jwksUrl: text("jwks_url"),
    algorithms: list("algorithms").notNull(),
    /** Oldest acceptable `iat`, seconds; null = `exp` alone decides. */
    maxAgeSeconds: integer("max_age_seconds"),
    /** Whether the claim `travel_plans` loads journeys. */
    loadsTravelPlans: flag("loads_travel_plans").notNull().default(false),
    enabled: flag("enabled").notNull().default(true),
  },
  (table) => [check("federated_issuers_keys", sql`(${table.jwks} is null) <> (${table.jwksUrl} is null)`)],
);
