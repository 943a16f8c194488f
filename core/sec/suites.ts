/**
 * The cipher suites as rows of one table (RFC 9528 §3.6), with their AEADs. Key agreements have ecdh.ts, hash and
 * signatures primitives.ts. Nothing outside these three files names an algorithm.
 */
import { type Bytes, concat, equalBytes } from "../encoding/bytes.ts";
import { type Ecdh, P256, X25519 } from "./ecdh.ts";
import { ED25519, ES256, type Hash, SHA_256, type SignatureScheme } from "./primitives.ts";

/** An AEAD bound to one key. */
export interface AeadKey {
  /** Ciphertext followed by the tag. */
  seal(nonce: Bytes, associated: Bytes, plaintext: Bytes): Promise<Bytes>;
  /** The plaintext, or undefined where the tag is wrong. */
  open(nonce: Bytes, associated: Bytes, sealed: Bytes): Promise<Bytes | undefined>;
}

/** An AEAD algorithm; lengths in bytes. */
export interface Aead {
  readonly keyLength: number;
  readonly nonceLength: number;
  readonly tagLength: number;
  /** Imports key bytes as a key that cannot be exported again. */
  key(bytes: Bytes): Promise<AeadKey>;
}

const BLOCK = 16;

/** AES-128-GCM, 96-bit nonce, 128-bit tag. */
export const AES_GCM_16: Aead = {
  keyLength: 16,
  nonceLength: 12,
  tagLength: 16,
  async key(bytes) {
    const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    const parameters = (iv: Bytes, additionalData: Bytes) => ({
      name: "AES-GCM",
      iv,
      additionalData,
    });
    return {
      seal: async (nonce, associated, plaintext) =>
        new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, associated), key, plaintext)),
      async open(nonce, associated, sealed) {
        try {
          return new Uint8Array(await crypto.subtle.decrypt(parameters(nonce, associated), key, sealed));
        } catch (error) {
          if (error instanceof Error && error.name === "OperationError") return undefined;
          throw error;
        }
      },
    };
  },
};

/**
 * AES-CCM-16-`8·tagLength`-128 (RFC 3610, L = 2, 13-byte nonce), built from WebCrypto's AES-CTR and AES-CBC, which
 * has no CCM of its own.
 */
export function aesCcm(tagLength: 8 | 16): Aead {
  return {
    keyLength: 16,
    nonceLength: 13,
    tagLength,
    async key(bytes) {
      const ctr = await crypto.subtle.importKey("raw", bytes, "AES-CTR", false, ["encrypt"]);
      const cbc = await crypto.subtle.importKey("raw", bytes, "AES-CBC", false, ["encrypt"]);
      return {
        async seal(nonce, associated, plaintext) {
          const tag = await cbcMac(cbc, macInput(tagLength, nonce, associated, plaintext));
          const masked = await counterMode(ctr, nonce, concat(tag, plaintext));
          return concat(masked.subarray(BLOCK), masked.subarray(0, tagLength));
        },
        async open(nonce, associated, sealed) {
          if (sealed.length < tagLength) return undefined;
          const text = sealed.subarray(0, sealed.length - tagLength);
          const maskedTag = new Uint8Array(BLOCK);
          maskedTag.set(sealed.subarray(text.length));
          const clear = await counterMode(ctr, nonce, concat(maskedTag, text));
          const plaintext = clear.slice(BLOCK);
          const tag = await cbcMac(cbc, macInput(tagLength, nonce, associated, plaintext));
          if (equalBytes(tag.subarray(0, tagLength), clear.subarray(0, tagLength))) return plaintext;
          plaintext.fill(0);
          return undefined;
        },
      };
    },
  };
}

// RFC 3610 §2.3: the counter block is flags (L−1) | nonce | counter; block 0 masks the tag, 1… the text.
async function counterMode(key: CryptoKey, nonce: Bytes, data: Bytes): Promise<Bytes> {
  const counter = concat(Uint8Array.of(1), nonce, Uint8Array.of(0, 0));
  return new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CTR", counter, length: 16 }, key, data));
}

// RFC 3610 §2.2: B_0 | length of the associated data | associated data, padded | text, padded.
function macInput(tagLength: number, nonce: Bytes, associated: Bytes, text: Bytes): Bytes {
  if (text.length > 0xffff || associated.length >= 0xff00) throw new RangeError("too long for CCM");
  const flags = (associated.length > 0 ? 0x40 : 0) | (((tagLength - 2) / 2) << 3) | 1;
  const first = concat(Uint8Array.of(flags), nonce, Uint8Array.of(text.length >> 8, text.length & 0xff));
  const header =
    associated.length === 0
      ? new Uint8Array()
      : padded(concat(Uint8Array.of(associated.length >> 8, associated.length & 0xff), associated));
  return concat(first, header, padded(text));
}

function padded(data: Bytes): Bytes {
  const whole = new Uint8Array(Math.ceil(data.length / BLOCK) * BLOCK);
  whole.set(data);
  return whole;
}

// CBC-MAC is the last CBC block over whole blocks; WebCrypto appends one block of padding, which is dropped.
async function cbcMac(key: CryptoKey, blocks: Bytes): Promise<Bytes> {
  const iv = new Uint8Array(BLOCK);
  const chained = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, blocks));
  return chained.slice(blocks.length - BLOCK, blocks.length);
}

/** The suites this code speaks, by their number in the EDHOC registry. */
export type SuiteId = 0 | 2 | 3 | 6;

export interface Suite {
  readonly id: SuiteId;
  /** The EDHOC AEAD, which also protects the records of the channel. */
  readonly aead: Aead;
  readonly hash: Hash;
  readonly ecdh: Ecdh;
  readonly signature: SignatureScheme;
}

export const SUITES: Readonly<Record<SuiteId, Suite>> = {
  0: {
    id: 0,
    aead: aesCcm(8),
    hash: SHA_256,
    ecdh: X25519,
    signature: ED25519,
  },
  2: { id: 2, aead: aesCcm(8), hash: SHA_256, ecdh: P256, signature: ES256 },
  3: { id: 3, aead: aesCcm(16), hash: SHA_256, ecdh: P256, signature: ES256 },
  6: { id: 6, aead: AES_GCM_16, hash: SHA_256, ecdh: X25519, signature: ES256 },
};

/** What products offer and accept, in order of preference. 0 and 2 exist for the verification of traces only. */
export const PRODUCTION_SUITES: readonly SuiteId[] = [6, 3];

/** The row of a suite number from the air, or undefined where there is none. */
export function suiteOf(id: number): Suite | undefined {
  const rows: Readonly<Record<number, Suite | undefined>> = SUITES;
  return rows[id];
}

/**
 * SUITES_I for the next message_1, the **last** entry being the selected one: the best of `preference` that is in
 * `suitesR`, preceded by everything we prefer to it (RFC 9528 §6.3). With no `suitesR` yet: the first preference
 * alone. Undefined where nothing is common, or where the answer contradicts itself by naming a suite that was
 * selected in `refused`: then give up, never fall back to anything weaker.
 */
export function nextSuites(
  suitesR?: readonly number[],
  refused: readonly SuiteId[] = [],
  preference: readonly SuiteId[] = PRODUCTION_SUITES,
): readonly SuiteId[] | undefined {
  if (suitesR === undefined) return preference.slice(0, 1);
  const at = preference.findIndex((id) => suitesR.includes(id));
  const selected = preference[at];
  if (selected === undefined || refused.includes(selected)) return undefined;
  return preference.slice(0, at + 1);
}
