/**
 * The checks of a transaction token on the tag (protocol.md, Transaction token), cheap ones first. It knows no state machine and no
 * clock: the caller checks its state before, and gives the nonce with its age by the tag's own timer.
 */
import { type Bytes, equalBytes } from "../encoding/bytes.ts";
import { type GattVersion, VERSION } from "../gatt/profile.ts";
import { SecError, type SecErrorCode } from "./errors.ts";
import { decodeToken, type TokenClaims, type TokenOperation, verifyTokenSignature } from "./token.ts";

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
   * Called once, and only when every cheaper check has passed. `age` in milliseconds, by the tag's own timer.
   */
  readonly takeNonce: () => { readonly value: Bytes; readonly age: number } | undefined;
  /** Longest life of a nonce in milliseconds (T_nonce). */
  readonly nonceLifetime: number;
  /** This session's exporter value; absent on the v2.0 path, where a bound token is refused. */
  readonly channelBinding?: Bytes;
  /** The client leaf of this connection. */
  readonly leaf: { readonly spki: Bytes; readonly notBefore: Date; readonly notAfter: Date };
  /** The operation asked for, where the tag knows it already. */
  readonly operation?: TokenOperation;
  /** Latest `iat` this tag has accepted (seconds), 0 when none. */
  readonly lastSeen: number;
}

/** How far a token may lie before the latest one seen: clocks of two service locations differ a little (seconds). */
const CLOCK_SLACK = 60;

/**
 * All checks of protocol.md, Transaction token, from `length` to `iat`, in that order.
 *
 * @throws SecError `TOKEN_FORMAT` · `TOKEN_KID` · `TOKEN_AUD` · `TOKEN_NONCE` (another one, or none left) · `VERSION` ·
 *   `TOKEN_EXPIRED` · `TOKEN_BINDING` (another session, key, operation; on v2.0 a channel binding or no payload
 *   digest) · `TOKEN_SIG` · `CRED_TIME` (iat outside the leaf's validity) · `TOKEN_REPLAY` (older than one seen before)
 */
export async function checkToken(bytes: Uint8Array, expected: TokenExpectations): Promise<TokenClaims> {
  const token = decodeToken(bytes);
  const { claims } = token;
  const key = expected.keys.get(token.kid);
  if (key === undefined) refuse("TOKEN_KID");
  if (claims.aud !== expected.deviceId) refuse("TOKEN_AUD");
  const nonce = expected.takeNonce();
  if (nonce === undefined || !equalBytes(nonce.value, claims.nonce)) refuse("TOKEN_NONCE");
  checkVersion(claims, expected);
  if (nonce.age > Math.min(claims.ttl * 1000, expected.nonceLifetime)) refuse("TOKEN_EXPIRED");
  await checkBindings(claims, expected);
  if (!(await verifyTokenSignature(token, key))) refuse("TOKEN_SIG");
  checkOperation(claims, expected);
  checkTime(claims, expected);
  return claims;
}

/** A public key of the configuration's `tokenKeys`. */
export type TokenJwk = JsonWebKey & { readonly kid: string };

/**
 * Imports `tokenKeys`; private members and declared uses are ignored.
 *
 * @throws TypeError for a `kid` that is empty or double, or a key that is not for ES256; DOMException for an unusable key
 */
export async function importTokenKeys(jwks: readonly TokenJwk[]): Promise<TokenKeys> {
  const keys = new Map<string, CryptoKey>();
  for (const { kid, kty, crv, x, y, alg } of jwks) {
    if (kid === "" || keys.has(kid)) throw new TypeError("kid is empty or double");
    if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined)
      throw new TypeError("not a P-256 key");
    if (alg !== undefined && alg !== "ES256") throw new TypeError("not a key for ES256");
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    keys.set(kid, await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, true, ["verify"]));
  }
  return keys;
}

function refuse(code: SecErrorCode): never {
  throw new SecError(code);
}

// A claimed version is the path's; without one the path alone must be served still. (The downgrade rule, §7.)
function checkVersion(claims: TokenClaims, { path, minimumVersion }: TokenExpectations): void {
  if (VERSION[path] < VERSION[minimumVersion]) refuse("VERSION");
  if (claims.version !== undefined && claims.version !== path) refuse("VERSION");
}

async function checkBindings(
  claims: TokenClaims,
  { path, channelBinding, leaf }: TokenExpectations,
): Promise<void> {
  if (claims.channelBinding !== undefined) {
    const own = path === "2.1" ? channelBinding : undefined;
    if (own === undefined || !equalBytes(own, claims.channelBinding)) refuse("TOKEN_BINDING");
  }
  if (path === "2.0" && claims.payloadDigest === undefined) refuse("TOKEN_BINDING");
  if (claims.cnfSpkiSha256 !== undefined) {
    const certified = new Uint8Array(await crypto.subtle.digest("SHA-256", leaf.spki));
    if (!equalBytes(certified, claims.cnfSpkiSha256)) refuse("TOKEN_BINDING");
  }
}

function checkOperation(claims: TokenClaims, { operation }: TokenExpectations): void {
  if (operation === undefined || claims.operation === undefined) return;
  if (claims.operation !== operation) refuse("TOKEN_BINDING");
}

// A tag has no clock: the service's signed iat replaces it, and may not run backwards.
function checkTime({ iat }: TokenClaims, { leaf, lastSeen }: TokenExpectations): void {
  if (iat * 1000 < leaf.notBefore.getTime() || iat * 1000 > leaf.notAfter.getTime()) refuse("CRED_TIME");
  if (iat < lastSeen - CLOCK_SLACK) refuse("TOKEN_REPLAY");
}
