import { foldLocator } from "../../core/bag/record-locator.ts";
import {
  type Bytes,
  concat,
  copyBytes,
  fromBase64Url,
  fromUtf8,
  toBase64Url,
  utf8,
} from "../../core/encoding/bytes.ts";

/**
 * The keys of personal data at rest (rules §4): AES-256-GCM under DATA_KEY. Rows are found by HMACs under PEPPER
 * (below). Field and row id are authenticated, so a sealed value copied to another row does not open.
 */
export interface DataKey {
  /** The key that seals from now on. */
  readonly sealing: CryptoKey;
  /** The keys that may have sealed: the same one and, while the key is being changed, the one before. */
  readonly opening: readonly CryptoKey[];
}

const IV_LENGTH = 12;

/** Imports DATA_KEY and, during a rotation, the key before it: 32 random bytes each. */
export async function importDataKey(secret: Bytes, before?: Bytes): Promise<DataKey> {
  const sealing = await importKey(secret);
  return { sealing, opening: before === undefined ? [sealing] : [sealing, await importKey(before)] };
}

const importKey = (secret: Bytes) =>
  crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"]);

/** The field and row id of a sealed value: authenticated with it, and not secret. */
export interface Place {
  readonly field:
    | "locator"
    | "passenger"
    | "play-integrity-key"
    | "staff-name"
    | "cursor"
    | "bookmark"
    | "webhook-secret"
    | "acceptance-secret"
    | "found-report"
    | "location-link"
    | "push-endpoint";
  readonly id: string;
}

/** A finder's report. */
export const placeOfReport = (deviceId: string, requestId: string): Place => ({
  field: "found-report",
  id: `${deviceId}\n${requestId}`,
});

/** A holder's link to where a bag is. */
export const placeOfLink = (deviceId: string): Place => ({ field: "location-link", id: deviceId });

/** A holder's push endpoint for reports on a tag. */
export const placeOfPush = (deviceId: string, holderSub: string): Place => ({
  field: "push-endpoint",
  id: `${deviceId}\n${holderSub}`,
});

/** Seals `text` for `place`: base64url of iv (12 bytes) ‖ ciphertext ‖ tag (16 bytes). */
export async function seal(key: DataKey, place: Place, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
  const sealed = await crypto.subtle.encrypt(parameters(iv, place), key.sealing, utf8(text));
  return toBase64Url(concat(iv, copyBytes(sealed)));
}

/**
 * Opens a value of {@link seal} with any of the keys. Rejects with EncodingError if `sealed` is not base64url, with a
 * DOMException `OperationError` if key, place or bytes differ.
 */
export async function open({ opening }: DataKey, place: Place, sealed: string): Promise<string> {
  const bytes = fromBase64Url(sealed);
  const attempts = opening.map((key) =>
    crypto.subtle.decrypt(parameters(bytes.slice(0, IV_LENGTH), place), key, bytes.slice(IV_LENGTH)),
  );
  // The encryption is authenticated: at most one key opens the value.
  const settled = await Promise.allSettled(attempts);
  const opened = settled.find((attempt) => attempt.status === "fulfilled") ?? settled[0];
  if (opened?.status !== "fulfilled") throw opened?.reason;
  return fromUtf8(copyBytes(opened.value));
}

const parameters = (iv: Bytes, { field, id }: Place) => ({
  name: "AES-GCM",
  iv,
  additionalData: utf8(`${field}\n${id}`),
});

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
