import { foldLocator } from "../../core/bag/record-locator.ts";
import { type Bytes, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";

/**
 * The keys by which rows are found: hashes and HMACs of secret or personal values. The service, the development data and
 * the operator's commands must compute the same keys.
 */

/** SHA-256 of text or bytes as base64url: the form of hashes in the database. */
export async function sha256Text(content: string | Bytes): Promise<string> {
  const bytes = typeof content === "string" ? utf8(content) : content;
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** HMAC-SHA-256 of `content` under `key`: 32 bytes. */
export async function hmac(key: CryptoKey, content: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}

/**
 * HMAC of `parts` under `key` as base64url. `purpose` keeps uses of one key apart. The parts are joined with
 * their lengths, so that no two lists have the same input.
 */
export async function hmacText(
  key: CryptoKey,
  purpose: string,
  ...parts: readonly string[]
): Promise<string> {
  return toBase64Url(await hmac(key, utf8(JSON.stringify([purpose, ...parts]))));
}

/**
 * The `clients.keyHash` of a client key: base64url of its SHA-256. The key is public or random, so there is no pepper.
 */
export const clientKeyHash = (key: string): Promise<string> => sha256Text(key);

/** The key to find a booking by: base64url of HMAC(PEPPER, folded locator). */
export async function locatorHash(pepper: CryptoKey, locator: string): Promise<string> {
  return toBase64Url(await hmac(pepper, utf8(`locator\n${foldLocator(locator)}`)));
}
