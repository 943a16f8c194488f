/**
 * Ephemeral Diffie-Hellman. Every failure of a public key (low order, off the curve, wrong length) is the one error
 * `MESSAGE`: which check failed is not sent over the air.
 */
import { type Bytes, concat, copyBytes, fromHex, toBase64Url, wipe } from "../encoding/bytes.ts";
import { SecError } from "./errors.ts";

/** One ephemeral key. It agrees once: a second agreement throws `STATE`. */
export interface EphemeralKey {
  /** G_X or G_Y as it travels: 32 bytes (the x-coordinate alone for P-256). */
  readonly publicKey: Bytes;
  /** The private value, only where it came in as an argument. */
  readonly privateKey: Bytes | undefined;
  /** The shared secret, 32 bytes; throws `MESSAGE` on a public key that must not be used. */
  agree(peerPublic: Bytes): Promise<Bytes>;
}

export interface Ecdh {
  /** Bytes of a public key on the wire. */
  readonly publicLength: number;
  /** A fresh key from the engine's generator. */
  generate(): Promise<EphemeralKey>;
  /** The key of 32 given bytes: vectors, and recorded sessions whose transcript shall contain it. */
  fromPrivate(privateKey: Bytes): Promise<EphemeralKey>;
}

const LENGTH = 32;
type Agreement = (peerPublic: Bytes) => Promise<Bytes>;

/** Wraps an agreement so that it works once and never yields the all-zero secret (RFC 7748 §6.1). */
function ephemeral(publicKey: Bytes, agreement: Agreement, privateKey?: Bytes): EphemeralKey {
  let unused: Agreement | undefined = agreement;
  return {
    publicKey,
    privateKey,
    async agree(peerPublic) {
      const agreeOnce = unused;
      unused = undefined;
      if (agreeOnce === undefined)
        throw new SecError("STATE", {
          message: "an ephemeral key agrees once",
        });
      if (peerPublic.length !== LENGTH) throw new SecError("MESSAGE", { message: "ephemeral key length" });
      const secret = await agreeOnce(peerPublic).catch((cause) => {
        throw new SecError("MESSAGE", { message: "ephemeral key", cause });
      });
      if (secret.every((byte) => byte === 0)) throw new SecError("MESSAGE", { message: "ephemeral key" });
      return secret;
    },
  };
}

const BASE_POINT = Uint8Array.of(9, ...new Uint8Array(31));
const PKCS8_X25519 = fromHex("302e020100300506032b656e04220420");

/** X25519 by WebCrypto; by @noble/curves where the engine does not know it (Chrome before 133). */
export const X25519: Ecdh = {
  publicLength: LENGTH,
  async generate() {
    try {
      const pair = (await crypto.subtle.generateKey("X25519", false, ["deriveBits"])) as CryptoKeyPair;
      return ephemeral(await exportRaw(pair.publicKey), webX25519(pair.privateKey));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return softwareX25519(crypto.getRandomValues(new Uint8Array(LENGTH)));
    }
  },
  async fromPrivate(privateKey) {
    try {
      const pkcs8 = concat(PKCS8_X25519, privateKey);
      const key = await crypto.subtle.importKey("pkcs8", pkcs8, "X25519", false, ["deriveBits"]);
      wipe(pkcs8);
      const agreement = webX25519(key);
      return ephemeral(await agreement(BASE_POINT), agreement, privateKey);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return softwareX25519(privateKey.slice(), privateKey);
    }
  },
};

function webX25519(privateKey: CryptoKey): Agreement {
  return async (peerPublic) => {
    const key = await crypto.subtle.importKey("raw", peerPublic, "X25519", false, []);
    return deriveBits("X25519", privateKey, key);
  };
}

/** Takes `own` over: it is zeroed with the agreement. */
async function softwareX25519(own: Bytes, given?: Bytes): Promise<EphemeralKey> {
  const { x25519 } = await import("@noble/curves/ed25519.js");
  const publicKey = copyBytes(x25519.getPublicKey(own));
  const agreement: Agreement = async (peerPublic) => {
    try {
      return copyBytes(x25519.getSharedSecret(own, peerPublic));
    } finally {
      wipe(own);
    }
  };
  return ephemeral(publicKey, agreement, given);
}

const P256_PARAMETERS = { name: "ECDH", namedCurve: "P-256" } as const;

/** P-256 with x-coordinates on the wire (RFC 9528 §3.7). */
export const P256: Ecdh = {
  publicLength: LENGTH,
  async generate() {
    const pair = await crypto.subtle.generateKey(P256_PARAMETERS, false, ["deriveBits"]);
    const point = await exportRaw(pair.publicKey);
    return ephemeral(point.slice(1, 1 + LENGTH), webP256(pair.privateKey));
  },
  async fromPrivate(privateKey) {
    // WebCrypto imports no private scalar without its point, so the point is computed here.
    const { p256 } = await import("@noble/curves/nist.js");
    const point = copyBytes(p256.getPublicKey(privateKey, false));
    const jwk: JsonWebKey = {
      kty: "EC",
      crv: "P-256",
      d: toBase64Url(privateKey),
      x: toBase64Url(point.subarray(1, 1 + LENGTH)),
      y: toBase64Url(point.subarray(1 + LENGTH)),
    };
    const key = await crypto.subtle.importKey("jwk", jwk, P256_PARAMETERS, false, ["deriveBits"]);
    return ephemeral(point.slice(1, 1 + LENGTH), webP256(key), privateKey);
  },
};

function webP256(privateKey: CryptoKey): Agreement {
  return async (x) => deriveBits("ECDH", privateKey, await importX(x));
}

/** Either point with this x-coordinate gives the same shared x-coordinate, so the even one will do. */
async function importX(x: Bytes): Promise<CryptoKey> {
  const compressed = concat(Uint8Array.of(2), x);
  try {
    return await crypto.subtle.importKey("raw", compressed, P256_PARAMETERS, false, []);
  } catch {
    // Off the curve, or an engine that imports no compressed point: noble decides which, by throwing or not.
    const { p256 } = await import("@noble/curves/nist.js");
    const point = copyBytes(p256.Point.fromBytes(compressed).toBytes(false));
    return crypto.subtle.importKey("raw", point, P256_PARAMETERS, false, []);
  }
}

async function exportRaw(key: CryptoKey): Promise<Bytes> {
  return new Uint8Array((await crypto.subtle.exportKey("raw", key)) as ArrayBuffer);
}

async function deriveBits(name: string, privateKey: CryptoKey, publicKey: CryptoKey): Promise<Bytes> {
  const parameters = { name, public: publicKey };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, privateKey, 8 * LENGTH));
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === "NotSupportedError";
}
