/**
 * Transaction tokens (sec.md §4, §5): an untagged COSE_Sign1 CWT, ES256, raw r‖s, deterministic CBOR.
 * The service signs them, the tag checks them; both use this file.
 */
import type { Bytes } from "../bytes.ts";
import type { GattVersion } from "../gatt/profile.ts";

export type TokenOperation = "write" | "clear";

/** Claims of a transaction token. Times are seconds since 1970. An absent optional claim binds nothing. */
export interface TokenClaims {
  readonly iss: string;
  /** Device id, exactly as the caller of the service wrote it. */
  readonly aud: string;
  readonly exp: number;
  readonly iat: number;
  /** 8 bytes, unique per token. */
  readonly cti: Bytes;
  /** 16 bytes, the tag's nonce. */
  readonly nonce: Bytes;
  /** Lifetime in seconds, 1–120, counted by the tag from when it drew the nonce. */
  readonly ttl: number;
  /** SHA-256 of the certified key's SubjectPublicKeyInfo. */
  readonly cnfSpkiSha256?: Bytes;
  /** 32 bytes, exporter label 32772. */
  readonly channelBinding?: Bytes;
  readonly version?: GattVersion;
  /** SHA-256 of the payload. */
  readonly payloadDigest?: Bytes;
  readonly operation?: TokenOperation;
}

/** A decoded, **not yet verified** token. */
export interface DecodedToken {
  readonly kid: string;
  readonly claims: TokenClaims;
  /** Sig_structure (RFC 9052 §4.4) over the bytes as received. */
  readonly toBeSigned: Bytes;
  /** r‖s, 64 bytes. */
  readonly signature: Bytes;
}

/** Keys a tag trusts for tokens: `kid` → ECDSA P-256 verify key. */
export type TokenKeys = ReadonlyMap<string, CryptoKey>;

/** What the tag holds a token against. */
export interface TokenExpectations {
  /** The path the token came on: 2.1 over SEC, 2.0 over AUTH. */
  readonly path: GattVersion;
  /** The lowest generation the tag still serves (`ver_min` of INFO). */
  readonly minimumVersion: GattVersion;
  readonly keys: TokenKeys;
  readonly deviceId: string;
  /**
   * Takes the current nonce out of the tag, burning it hit or miss; undefined when there is none (used, withdrawn).
   * Called exactly once, and only when every cheaper check has passed. `age` in milliseconds, by the tag's own timer.
   */
  readonly takeNonce: () => { readonly value: Bytes; readonly age: number } | undefined;
  /** Longest life of a nonce in milliseconds (T_nonce). */
  readonly nonceLifetime: number;
  /** This session's exporter value; absent on the v2.0 path, where a bound token is refused. */
  readonly channelBinding?: Bytes;
  /** The client leaf of this connection. */
  readonly leaf: {
    readonly spki: Bytes;
    readonly notBefore: Date;
    readonly notAfter: Date;
  };
  /** The operation asked for, where the tag knows it already. */
  readonly operation?: TokenOperation;
  /** Latest `iat` this tag has accepted (seconds), 0 when none. */
  readonly lastSeen: number;
}

/** Signs `claims` with ES256; `kid` goes into the protected header as UTF-8. @throws SecError `TOKEN_FORMAT` */
export function signToken(
  _claims: TokenClaims,
  _key: { readonly kid: string; readonly privateKey: CryptoKey },
): Promise<Bytes> {
  throw new Error("not built yet");
}

/** Reads a token; only the one deterministic encoding of sec.md §4 passes. @throws SecError `TOKEN_FORMAT` */
export function decodeToken(_bytes: Uint8Array): DecodedToken {
  throw new Error("not built yet");
}

/**
 * All checks of sec.md §5 from `length` to `iat`, in that order (the state is the caller's, before the call).
 *
 * @throws SecError `TOKEN_FORMAT` `TOKEN_KID` `TOKEN_AUD` `TOKEN_NONCE` `VERSION` `TOKEN_EXPIRED` `TOKEN_BINDING`
 *   `TOKEN_SIG` `CRED_TIME` (iat outside the leaf's validity) `TOKEN_REPLAY` (iat before the last seen time − 60 s)
 */
export function checkToken(_bytes: Uint8Array, _expected: TokenExpectations): Promise<TokenClaims> {
  throw new Error("not built yet");
}

/** The 16 nonce bytes for the text a caller sends to endpoint 8 (decisions §6). */
export function nonceBytes(_text: string): Promise<Bytes> {
  throw new Error("not built yet");
}

/** A public key of the configuration's `tokenKeys`. */
export type TokenJwk = JsonWebKey & { readonly kid: string };

/** Imports `tokenKeys`. @throws TypeError for a key that is not P-256, or a `kid` that is empty or double */
export function importTokenKeys(_jwks: readonly TokenJwk[]): Promise<TokenKeys> {
  throw new Error("not built yet");
}
