import { type Bytes, concat, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import type { devices } from "../../db/schema.ts";

/** A tag's key as its row keeps it: the compressed point (SEC 1, 2.3.3), base64url, 44 characters. Its hash is computed. */

/** What a row has of the tag's key. Rows from before migration 0007 have the whole SubjectPublicKeyInfo instead. */
export type StoredKey = Pick<typeof devices.$inferSelect, "tagKey" | "tagSpkiHash" | "tagSpki">;

const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const COORDINATE = 32;

/** The key in the SubjectPublicKeyInfo of a P-256 key, which ends in its uncompressed point. */
export function keyOfSpki(spki: Bytes): string {
  const sign = 2 + ((spki.at(-1) ?? 0) & 1);
  return toBase64Url(concat(Uint8Array.of(sign), spki.slice(-2 * COORDINATE, -COORDINATE)));
}

export const importTagKey = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", fromBase64Url(key), ES256, true, ["verify"]);

/** The tag's key, whichever form its row has; null while only its hash is known, or nothing. */
export const keyOf = ({ tagKey, tagSpki }: StoredKey): string | null =>
  tagKey ?? (tagSpki === null ? null : keyOfSpki(fromBase64Url(tagSpki)));

/** Whether a certificate or an import has said which key is the tag's. */
export const isKeyKnown = ({ tagKey, tagSpkiHash }: StoredKey): boolean =>
  tagKey !== null || tagSpkiHash !== null;

/** SHA-256 of the SubjectPublicKeyInfo of the tag's key, base64url; null if the key is unknown. */
export async function keyHashOf(stored: StoredKey): Promise<string | null> {
  const key = keyOf(stored);
  return key === null ? stored.tagSpkiHash : toBase64Url(await publicKeyThumbprint(await importTagKey(key)));
}

/** The columns of an unknown key. */
export const NO_KEY: StoredKey = { tagKey: null, tagSpkiHash: null, tagSpki: null };

/** The columns of a key that a certificate has shown. */
export const storedKey = (key: string): StoredKey => ({ tagKey: key, tagSpkiHash: null, tagSpki: null });

/** What else an update of a row writes: today's form of its key, where the row has the older one. */
export const keyInTodaysForm = (row: StoredKey): Partial<StoredKey> =>
  row.tagSpki === null ? {} : storedKey(keyOf(row) as string);
