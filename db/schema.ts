import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import type { ErrorCode } from "../core/api/errors.ts";
import type { AttestationPolicyInput } from "./attestation-policy.ts";

/**
 * Everything the service remembers. Instants are integers, milliseconds since 1970; days are `YYYY-MM-DD`; hashes
 * are base64url of SHA-256 or HMAC-SHA-256. No table holds a secret, a token, a name or a record locator in clear:
 * names and locators are AES-GCM under DATA_KEY beside the peppered HMACs they are found by (decisions §3, §4).
 */

const instant = (name: string) => integer(name);
const list = <T extends string>(name: string) => text(name, { mode: "json" }).$type<readonly T[]>();
const flag = (name: string) => integer(name, { mode: "boolean" });

/** How a session was opened. */
export type LoginMethod = "federated" | "attestation" | "guest" | "b2b";
/** What stood behind the login; `none` is possession of a key alone (decisions §2, §3). */
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
}

/** An application that may call the service (X-Source-App-Key); only the hash of its key is kept. */
export const clients = sqliteTable("clients", {
  id: text().primaryKey(),
  keyHash: text("key_hash").notNull().unique(),
  name: text().notNull(),
  enabled: flag("enabled").notNull().default(true),
  loginMethods: list<LoginMethod>("login_methods").notNull(),
  evidenceKinds: list<Evidence>("evidence_kinds").notNull(),
  /** What each of them must fulfil; read with `parseAttestationPolicy`. */
  attestationPolicy: text("attestation_policy", { mode: "json" })
    .$type<AttestationPolicyInput>()
    .notNull()
    .default({}),
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
    /** RFC 7638 thumbprint every later DPoP proof must show; null = plain Bearer. */
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
    // Never later than `expiresAt`: what the sweeper finds dead sessions by.
    index("sessions_by_end").on(table.refreshExpiresAt),
    index("sessions_by_sub").on(table.sub),
  ],
);

/** A P-256 public key, exactly these members. */
export interface PublicKeyJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** Hashes of every refresh token of a family: an old one that comes back is a theft, not a stranger's guess. */
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

/** Keys registered by an attestation, each for one client: another client's are never found (decisions §3). */
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
    /** Ways to reach the authenticator, as it told them. */
    transports: list("transports").notNull(),
    /** Who logs in with it. */
    sub: text().notNull(),
    createdAt: instant("created_at").notNull(),
    usedAt: instant("used_at").notNull(),
    /** The request that used it last: what the same batch's audit row is conditional on. */
    requestId: text("request_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.format, table.id] }),
    index("attestation_credentials_by_use").on(table.usedAt),
  ],
);

/** DPoP proofs seen: hash of thumbprint and `jti`; kept as long as such a proof could be accepted. */
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
    /** Hash of the certified SubjectPublicKeyInfo; what a revocation is looked up by. */
    spkiHash: text("spki_hash").notNull(),
    issuedAt: instant("issued_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    index("certificates_by_key").on(table.spkiHash, table.revokedAt),
    // A revoked row stays: while it is there, its key gets no transaction tokens.
    index("certificates_by_end").on(table.expiresAt).where(sql`${table.revokedAt} is null`),
  ],
);

/** Tags the service has met. `id` is the folded identity (decisions §5). */
export const devices = sqliteTable("devices", {
  id: text().primaryKey(),
  /** As first sent, for people to read. */
  label: text().notNull(),
  /** GATT version proven by the tag's certificate or an import; null = unproven. */
  gattVersion: text("gatt_version").$type<"2.0" | "2.1">(),
  /** Hash of the tag's SubjectPublicKeyInfo, as proven. */
  tagSpkiHash: text("tag_spki_hash"),
  model: text({ mode: "json" }).$type<Record<string, string | number>>(),
  registeredAt: instant("registered_at").notNull(),
});

/** Other identities of a device; the first device to claim one keeps it. */
export const deviceAliases = sqliteTable(
  "device_aliases",
  {
    alias: text().primaryKey(),
    deviceId: text("device_id")
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
  },
  (table) => [index("device_aliases_by_device").on(table.deviceId)],
);

/** A booking: airline, record locator, day of the first flight. */
export const travelPlans = sqliteTable(
  "travel_plans",
  {
    id: text().primaryKey(),
    airline: text().notNull(),
    /** HMAC(PEPPER, folded locator). */
    locatorHash: text("locator_hash").notNull(),
    /** AES-GCM(DATA_KEY, locator), base64url. */
    locatorSealed: text("locator_sealed").notNull(),
    firstFlightDate: text("first_flight_date").notNull(),
    /**
     * When the booking is past and the locks on it end: 24 h after the last scheduled arrival, or 72 h after the last
     * flight's date where no arrival is known (decisions §2).
     */
    endsAt: instant("ends_at").notNull(),
    /** When locator, names and match forms were erased; null = they are still there. */
    erasedAt: instant("erased_at"),
  },
  (table) => [
    unique("travel_plans_booking").on(table.airline, table.locatorHash, table.firstFlightDate),
    index("travel_plans_by_locator").on(table.locatorHash, table.endsAt),
    index("travel_plans_by_end").on(table.endsAt),
    index("travel_plans_to_erase").on(table.endsAt).where(sql`${table.erasedAt} is null`),
  ],
);

/** One passenger's part of a booking. */
export const journeys = sqliteTable(
  "journeys",
  {
    id: text().primaryKey(),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    /** AES-GCM(DATA_KEY, JSON of JourneyPassenger), base64url; null once erased. */
    passengerSealed: text("passenger_sealed"),
    /** `storedTokens(PEPPER, locator, surname)` of core/bag, base64url (decisions §4). */
    surnameTokens: text("surname_tokens").notNull(),
    /** First letter of the surname, for hints. */
    surnameInitial: text("surname_initial").notNull(),
    departureAirport: text("departure_airport").notNull(),
    destinationAirport: text("destination_airport").notNull(),
    destinationCity: text("destination_city"),
    cabin: text(),
    version: integer().notNull().default(1),
  },
  (table) => [index("journeys_by_plan").on(table.planId)],
);

/** Legs of a journey, in order. */
export const flights = sqliteTable(
  "flights",
  {
    journeyId: text("journey_id")
      .notNull()
      .references(() => journeys.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    carrier: text().notNull(),
    number: text().notNull(),
    date: text().notNull(),
    from: text("from_airport").notNull(),
    to: text("to_airport").notNull(),
    scheduledDeparture: instant("scheduled_departure"),
    scheduledArrival: instant("scheduled_arrival"),
  },
  (table) => [primaryKey({ columns: [table.journeyId, table.position] })],
);

/** Bags; `id` is the interface's baggageId. Licence plates recycle, so they are keyed with the day. */
export const bags = sqliteTable(
  "bags",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    journeyId: text("journey_id")
      .notNull()
      .references(() => journeys.id, { onDelete: "cascade" }),
    licencePlate: text("licence_plate").notNull(),
    flightDate: text("flight_date").notNull(),
    readable: text(),
    flags: integer(),
    /** The request that added the bag, where it was one of ours: what the same batch reads it back by. */
    requestId: text("request_id"),
  },
  (table) => [
    unique("bags_plate").on(table.licencePlate, table.flightDate),
    index("bags_by_journey").on(table.journeyId),
  ],
);

/** Serials an airline gives to bags that come without a plate: in order, and again from the first after the last. */
export const plateRanges = sqliteTable(
  "plate_ranges",
  {
    airline: text().primaryKey(),
    /** First digit of the plate, 0 to 9. */
    leading: integer().notNull(),
    /** Three-digit numeric code of the issuer. */
    issuer: text().notNull(),
    firstSerial: integer("first_serial").notNull(),
    lastSerial: integer("last_serial").notNull(),
    /** Where the search for a free serial begins. */
    nextSerial: integer("next_serial").notNull(),
    /** The serial given out last and the request it was given to: what the rest of its batch reads. */
    issuedSerial: integer("issued_serial"),
    requestId: text("request_id"),
  },
  (table) => [
    check("plate_ranges_leading", sql`${table.leading} between 0 and 9`),
    check("plate_ranges_issuer", sql`${table.issuer} glob '[0-9][0-9][0-9]'`),
    check(
      "plate_ranges_order",
      sql`0 <= ${table.firstSerial} and ${table.firstSerial} <= ${table.lastSerial}`,
    ),
    check("plate_ranges_serials", sql`${table.lastSerial} <= 999999`),
    check("plate_ranges_next", sql`${table.nextSerial} between ${table.firstSerial} and ${table.lastSerial}`),
  ],
);

/** Bookings a caller has shown to know: makes them a holder of locks on those bookings (decisions §5). */
export const loadedPlans = sqliteTable(
  "loaded_plans",
  {
    sub: text().notNull(),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    loadedAt: instant("loaded_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sub, table.planId] }),
    index("loaded_plans_by_plan").on(table.planId),
  ],
);

/** The journey lock (DeviceTicketLock): one row per locked device. A row past `endsAt` counts as no row. */
export const deviceTicketLocks = sqliteTable(
  "device_ticket_locks",
  {
    deviceId: text("device_id")
      .primaryKey()
      .references(() => devices.id),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    journeyId: text("journey_id").notNull(),
    baggageId: integer("baggage_id").notNull(),
    /** Who attached. */
    holderSub: text("holder_sub").notNull(),
    lockedAt: instant("locked_at").notNull(),
    endsAt: instant("ends_at").notNull(),
    lostAt: instant("lost_at"),
    /** The request that wrote this row as it stands: what the same batch's audit row is conditional on. */
    requestId: text("request_id").notNull(),
    /** COSE_Sign1 of the tag, base64 (sec.md §12); null = unconfirmed. */
    receipt: text(),
  },
  (table) => [
    index("locks_by_bag").on(table.baggageId),
    index("locks_by_plan").on(table.planId),
    index("locks_by_holder").on(table.holderSub, table.endsAt),
    index("locks_by_end").on(table.endsAt),
  ],
);

/** One counter per thing guessed at and window (decisions §2); `key` says which, hashed where it is personal. */
export const guessCounters = sqliteTable(
  "guess_counters",
  {
    key: text().primaryKey(),
    count: integer().notNull(),
    endsAt: instant("ends_at").notNull(),
    /** The request counted last: what the rest of its batch is conditional on. */
    requestId: text("request_id").notNull(),
  },
  (table) => [index("guess_counters_by_end").on(table.endsAt)],
);

/**
 * Custody proofs that failed at a tag, known or not, since its lock was made (what a holder is told, decisions §5). A
 * row whose last failure is older than the lock counts as none.
 */
export const failedProofs = sqliteTable(
  "failed_proofs",
  {
    deviceId: text("device_id").primaryKey(),
    count: integer("failures").notNull(),
    lastAt: instant("last_failed_at").notNull(),
    /** With the lock; of a tag without one, with the window of the guess budget. */
    endsAt: instant("ends_at").notNull(),
  },
  (table) => [index("failed_proofs_by_end").on(table.endsAt)],
);

/** Answers kept for a repeated Idempotency-Key, written in the batch of the change they report. */
export const idempotencyRecords = sqliteTable(
  "idempotency_records",
  {
    sub: text().notNull(),
    endpoint: text().notNull(),
    key: text().notNull(),
    bodyHash: text("body_hash").notNull(),
    /** `ok` or the errorCode; with `facts` and the repeated body it gives the same answer byte for byte. */
    outcome: text().$type<"ok" | ErrorCode>().notNull(),
    facts: text({ mode: "json" }).$type<Readonly<Record<string, string | number>>>().notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sub, table.endpoint, table.key] }),
    index("idempotency_records_by_end").on(table.expiresAt),
  ],
);

/** What happened, append-only and without personal data. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: instant("at").notNull(),
    event: text().notNull(),
    requestId: text("request_id").notNull(),
    sub: text(),
    clientId: text("client_id"),
    airline: text(),
    deviceId: text("device_id"),
    /** Which rule decided, for refusals. */
    reason: text(),
  },
  (table) => [
    index("audit_log_by_airline").on(table.airline, table.at),
    index("audit_log_by_device").on(table.deviceId, table.at),
  ],
);

/**
 * Signed statements about closed ranges of {@link auditLog}, each naming the one before it (`audit-seal.ts`): a row that
 * is changed, removed or put in afterwards no longer fits its seal, and a seal that is changed no longer fits the next.
 */
export const auditSeals = sqliteTable("audit_seals", {
  /** 1, 2, 3 …: a gap is a seal taken away. */
  id: integer().primaryKey(),
  /** First and last id of the rows covered. */
  fromId: integer("from_id").notNull(),
  toId: integer("to_id").notNull(),
  count: integer().notNull(),
  /** SHA-256 of the rows. */
  rowsHash: text("rows_hash").notNull(),
  /** SHA-256 of the seal before; empty for the first. */
  previousHash: text("previous_hash").notNull(),
  sealedAt: instant("sealed_at").notNull(),
  kid: text().notNull(),
  /** ES256 over all of the above, base64url. */
  signature: text().notNull(),
});
