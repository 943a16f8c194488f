import { type Bytes, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";

/** SHA-256 of text or bytes as base64url: the form hashes have in the database. */
export async function sha256Text(content: string | Bytes): Promise<string> {
  const bytes = typeof content === "string" ? utf8(content) : content;
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** HMAC-SHA-256 under `key`. */
export async function hmac(key: CryptoKey, content: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}

/**
 * HMAC of `parts` under `key` as base64url. `purpose` keeps uses of one key apart; parts are joined with their
 * lengths, so that no two lists give the same input.
 */
export async function hmacText(
  key: CryptoKey,
  purpose: string,
  ...parts: readonly string[]
): Promise<string> {
  return toBase64Url(await hmac(key, utf8(JSON.stringify([purpose, ...parts]))));
}
