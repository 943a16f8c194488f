/**
 * Everything the service remembers. Instants are integers, milliseconds since 1970; days are `YYYY-MM-DD`;
 * hashes are base64url of SHA-256 or HMAC-SHA-256. No table holds a secret, a token, a name or a record
 * locator in clear: names and locators are AES-GCM under DATA_KEY, beside the peppered HMACs by which they
 * are found (rules §3, §4). This file lists all tables for drizzle-kit, seeds and queries; each group has a
 * file of its own.
 */
export * from "./schema/clients.ts";
export * from "./schema/devices.ts";
export * from "./schema/journeys.ts";
export * from "./schema/records.ts";
export * from "./schema/sessions.ts";
