import { type Bytes, concat, equalBytes } from "../encoding/bytes.ts";

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
        if (sealed.length < 16) return undefined;
        try {
          return new Uint8Array(await crypto.subtle.decrypt(parameters(nonce, associated), key, sealed));
        } catch (error) {
          if (error instanceof DOMException && error.name === "OperationError") return undefined;
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
