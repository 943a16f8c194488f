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
 * (`lookup-keys.ts`). Field and row id are authenticated, so a sealed value copied to another row does not open.
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
