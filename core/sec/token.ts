/**
 * Transaction tokens (protocol.md, Transaction token): an untagged COSE_Sign1 CWT, ES256, raw r‖s, deterministic CBOR. The service signs
 * them and the tag reads them with this file; what a tag holds a token against is token-check.ts.
 */
import { type Bytes, copyBytes, fromBase64, fromHex, fromUtf8, utf8 } from "../encoding/bytes.ts";
import { CborReader, encodeBstr, encodeInt, encodeMap, encodeTstr } from "../encoding/cbor.ts";
import type { GattVersion } from "../gatt/profile.ts";
import { readSign1, signSign1, verifySign1 } from "./cose.ts";
import { SecError } from "./errors.ts";

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

export const TOKEN_LIMIT = {
  /** Longest token: about 280 bytes with every claim and short texts, 650 with the longest device id (128 characters). */
  bytes: 1024,
  /** Longest life in seconds. */
  ttl: 120,
} as const;

/** Labels of the claims: RFC 8392 §4, RFC 8747 §3.1, RFC 9711 (nonce), and private ones from −65537 down. */
const CLAIM = {
  iss: 1,
  aud: 3,
  exp: 4,
  iat: 6,
  cti: 7,
  cnf: 8,
  nonce: 10,
  channelBinding: -65537,
  version: -65538,
  payloadDigest: -65539,
  ttl: -65540,
  operation: -65541,
} as const;

const VERSION_CLAIM = { "2.0": 20, "2.1": 21 } as const satisfies Record<GattVersion, number>;
const OPERATION_CLAIM = { write: 1, clear: 2 } as const satisfies Record<TokenOperation, number>;
/** Member of `cnf` that holds a SHA-256 of the key. */
const CNF_THUMBPRINT = 3;

/**
 * Signs `claims` with ES256; `kid` goes into the protected header as UTF-8.
 *
 * @throws SecError `TOKEN_FORMAT` for claims or a `kid` that no tag would read
 */
export async function signToken(
  claims: TokenClaims,
  key: { readonly kid: string; readonly privateKey: CryptoKey },
): Promise<Bytes> {
  checkRanges(claims, key.kid);
  const token = await signSign1(utf8(key.kid), encodeClaims(claims), key.privateKey);
  if (token.length > TOKEN_LIMIT.bytes) refuse("too long");
  return token;
}

/**
 * Reads a token. Only the one deterministic encoding (protocol.md, Transaction token) passes: no other order, no double or unknown key,
 * no padded integer, no surplus byte.
 *
 * @throws SecError `TOKEN_FORMAT`
 */
export function decodeToken(bytes: Uint8Array): DecodedToken {
  if (bytes.length > TOKEN_LIMIT.bytes) refuse("too long");
  try {
    return readToken(bytes);
  } catch (cause) {
    if (cause instanceof SecError) throw cause;
    refuse("not a transaction token", cause);
  }
}

/** Whether the signature of `token` is by `publicKey` (ECDSA P-256, usage `verify`). */
export function verifyTokenSignature(token: DecodedToken, publicKey: CryptoKey): Promise<boolean> {
  return verifySign1(token, publicKey);
}

/**
 * The 16 nonce bytes for the text that a caller sends to endpoint 8 (rules §6): 22 characters of base64url or
 * base64, with or without `==`, or 32 hex digits are the bytes themselves; any other text is hashed.
 */
export async function nonceBytes(text: string): Promise<Bytes> {
  if (/^[0-9a-fA-F]{32}$/.test(text)) return fromHex(text);
  const match = /^([A-Za-z0-9+/]{22}|[A-Za-z0-9_-]{22})(==)?$/.exec(text);
  // The last character carries two bits only; another spelling of the same bytes is not base64 and is hashed.
  if (match !== null && /[AQgw]$/.test(match[1] as string)) {
    return fromBase64(`${(match[1] as string).replaceAll("-", "+").replaceAll("_", "/")}==`);
  }
  return copyBytes(await crypto.subtle.digest("SHA-256", utf8(text))).slice(0, 16);
}

function refuse(message: string, cause?: unknown): never {
  throw new SecError("TOKEN_FORMAT", cause === undefined ? { message } : { message, cause });
}

// Keys in the bytewise order of their encodings: 1, 3, 4, 6, 7, 8, 10, −65537 … −65541.
function encodeClaims(claims: TokenClaims): Bytes {
  const pairs: [number, Bytes][] = [
    [CLAIM.iss, encodeTstr(claims.iss)],
    [CLAIM.aud, encodeTstr(claims.aud)],
    [CLAIM.exp, encodeInt(claims.exp)],
    [CLAIM.iat, encodeInt(claims.iat)],
    [CLAIM.cti, encodeBstr(claims.cti)],
  ];
  const { cnfSpkiSha256, channelBinding, version, payloadDigest, operation } = claims;
  if (cnfSpkiSha256)
    pairs.push([CLAIM.cnf, encodeMap([encodeInt(CNF_THUMBPRINT), encodeBstr(cnfSpkiSha256)])]);
  pairs.push([CLAIM.nonce, encodeBstr(claims.nonce)]);
  if (channelBinding) pairs.push([CLAIM.channelBinding, encodeBstr(channelBinding)]);
  if (version) pairs.push([CLAIM.version, encodeInt(VERSION_CLAIM[version])]);
  if (payloadDigest) pairs.push([CLAIM.payloadDigest, encodeBstr(payloadDigest)]);
  pairs.push([CLAIM.ttl, encodeInt(claims.ttl)]);
  if (operation) pairs.push([CLAIM.operation, encodeInt(OPERATION_CLAIM[operation])]);
  return encodeMap(...pairs.map(([key, value]): [Bytes, Bytes] => [encodeInt(key), value]));
}

function readToken(bytes: Uint8Array): DecodedToken {
  const { kid: name, payload, toBeSigned, signature } = readSign1(bytes);
  const kid = fromUtf8(name);
  const claims = readClaims(payload);
  checkRanges(claims, kid);
  return { kid, claims, toBeSigned, signature };
}

/** Reads the claims in their one order: `reader` for each label that is next, undefined for one that is not there. */
function readClaims(payload: Bytes): TokenClaims {
  const cbor = new CborReader(payload);
  let left = cbor.map();
  let next = left > 0 ? cbor.int() : undefined;
  const optional = <T>(label: number, read: () => T): T | undefined => {
    if (next !== label) return undefined;
    const value = read();
    left--;
    next = left > 0 ? cbor.int() : undefined;
    return value;
  };
  const mandatory = <T>(label: number, read: () => T): T =>
    optional(label, read) ?? refuse(`claim ${label} is missing`);
  const bstr = () => cbor.bstr();

  const iss = mandatory(CLAIM.iss, () => cbor.tstr());
  const aud = mandatory(CLAIM.aud, () => cbor.tstr());
  const exp = mandatory(CLAIM.exp, () => cbor.uint());
  const iat = mandatory(CLAIM.iat, () => cbor.uint());
  const cti = mandatory(CLAIM.cti, bstr);
  const cnfSpkiSha256 = optional(CLAIM.cnf, () => readThumbprint(cbor));
  const nonce = mandatory(CLAIM.nonce, bstr);
  const channelBinding = optional(CLAIM.channelBinding, bstr);
  const version = optional(CLAIM.version, () => nameOf(VERSION_CLAIM, cbor.uint()));
  const payloadDigest = optional(CLAIM.payloadDigest, bstr);
  const ttl = mandatory(CLAIM.ttl, () => cbor.uint());
  const operation = optional(CLAIM.operation, () => nameOf(OPERATION_CLAIM, cbor.uint()));
  if (left > 0) refuse("a claim that does not belong here");
  cbor.end();
  return {
    iss,
    aud,
    exp,
    iat,
    cti,
    nonce,
    ttl,
    ...(cnfSpkiSha256 && { cnfSpkiSha256 }),
    ...(channelBinding && { channelBinding }),
    ...(version && { version }),
    ...(payloadDigest && { payloadDigest }),
    ...(operation && { operation }),
  };
}

function readThumbprint(reader: CborReader): Bytes {
  if (reader.map() !== 1 || reader.int() !== CNF_THUMBPRINT) refuse("confirmation");
  return reader.bstr();
}

function nameOf<T extends string>(table: Readonly<Record<T, number>>, value: number): T {
  for (const name in table) if (table[name] === value) return name;
  return refuse("unknown value");
}

function checkRanges(claims: TokenClaims, kid: string): void {
  const { iss, aud, exp, iat, cti, nonce, ttl } = claims;
  if (kid === "" || iss === "" || aud === "") refuse("empty text");
  if (cti.length !== 8 || nonce.length !== 16) refuse("length of cti or nonce");
  if (ttl < 1 || ttl > TOKEN_LIMIT.ttl || exp <= iat) refuse("lifetime");
  for (const digest of [claims.cnfSpkiSha256, claims.channelBinding, claims.payloadDigest]) {
    if (digest !== undefined && digest.length !== 32) refuse("length of a digest");
  }
}
