import * as v from "valibot";
import { instant, int32, optional, text } from "./fields.ts";

/** Records of the session endpoints, 1 to 6. */

const jws = text(12_000);

/** Endpoint 1: the host app's signed token. */
export const FederatedLoginRequest = v.object({
  /** A JWT that the host app's server has signed for its traveller. */
  token: jws,
});
export type FederatedLoginRequest = v.InferOutput<typeof FederatedLoginRequest>;

/** What every login and refresh answers. Lifetimes are seconds from the answer. */
export const LoginResponse = v.object({
  /** JWT for the header `Authorization: Bearer`. */
  accessToken: v.string(),
  /** `Bearer`, also for sessions bound by DPoP. */
  tokenType: v.string(),
  /** Seconds the access token is valid. */
  expiresIn: int32(0),
  /** For POST /v2/auth/refresh, once. */
  refreshToken: optional(v.string()),
  /** Seconds the refresh token is valid. */
  refreshExpiresIn: optional(int32(0)),
});
export type LoginResponse = v.InferOutput<typeof LoginResponse>;

/** Endpoint 2. The service always sends all three. */
export const NonceResponse = v.object({
  /** For one login by attestation. */
  nonce: optional(v.string()),
  /** When the nonce ends. */
  expiresAt: optional(instant),
  /** Seconds until then. */
  ttlSeconds: optional(int32(0)),
});
export type NonceResponse = v.InferOutput<typeof NonceResponse>;

/**
 * A phone's attestation with Apple's receipt makes a JWS of 10,000 characters; the limit of the body is a
 * little higher.
 */
const attestation = {
  /** That of POST /v2/auth/nonces. */
  nonce: text(256),
  /** Compact JWS by the app's own key over the nonce and its evidence; its `aud` is `issuer` of /.well-known/ebt-configuration. */
  attestationObject: text(15_000),
};

/** Endpoint 3: `attestationObject` is a compact JWS (rules §3). */
export const AttestationLoginRequest = v.object(attestation);
export type AttestationLoginRequest = v.InferOutput<typeof AttestationLoginRequest>;

/** Endpoint 4: same shape as endpoint 3, without an e-mail. */
export const GuestLoginRequest = v.object(attestation);
export type GuestLoginRequest = v.InferOutput<typeof GuestLoginRequest>;

/** Endpoint 5; the shared secret travels in the header X-B2B-Secret. */
export const B2BSecretLoginRequest = v.object({
  /** Of a desk or a kiosk. */
  username: text(128),
  /** As the operator gave it out. */
  password: text(256),
});
export type B2BSecretLoginRequest = v.InferOutput<typeof B2BSecretLoginRequest>;

/** Endpoint 6. Any text: what is no token of ours is refused as such, not as malformed. */
export const RefreshTokenRequest = v.object({
  /** The newest of the session. */
  refreshToken: text(4_096),
});
export type RefreshTokenRequest = v.InferOutput<typeof RefreshTokenRequest>;

/**
 * Endpoint 7, both or neither: a key, and a compact JWS by it over `{ath, iat, jti}` (rules §3). Anything that
 * is not this record counts as absent.
 */
export const DeviceClientCertificateRequest = v.object({
  /** Public key to certify, as a JWK (RFC 7517). */
  jwk: optional(
    v.object({
      /** Kind of key. */
      kty: v.literal("EC"),
      /** Its curve. */
      crv: v.literal("P-256"),
      /** x coordinate, base64url. */
      x: text(43),
      /** y coordinate, base64url. */
      y: text(43),
    }),
  ),
  /** Compact JWS by that key over `{ath, iat, jti}`. */
  proof: optional(text(2_048)),
});
export type DeviceClientCertificateRequest = v.InferOutput<typeof DeviceClientCertificateRequest>;

/** POST /v2/auth/logout. */
export const LogoutResponse = v.object({
  /** Always true. */
  loggedOut: v.literal(true),
});
export type LogoutResponse = v.InferOutput<typeof LogoutResponse>;

/** A body without fields (endpoint 2, journey lists). */
export const EmptyRequest = v.object({});
export type EmptyRequest = v.InferOutput<typeof EmptyRequest>;

/** Which member of staff uses a device that is signed in for all of them (rules §5): an addition to the interface. */

/** A staff id and its PIN, as an operator gave them out. */
export const StaffProof = v.object({
  /** As on the badge; case and spaces do not matter. */
  id: text(32),
  /** The PIN that goes with it. */
  pin: text(64),
});
export type StaffProof = v.InferOutput<typeof StaffProof>;

/** POST /v2/auth/staff-checks; without `staff` it only asks whether this client demands one. */
export const StaffCheckRequest = v.object({
  /** The member of staff. */
  staff: optional(StaffProof),
  /** What for: kept in the audit log. */
  purpose: optional(v.picklist(["set_up", "end_of_shift", "tracing"])),
});
export type StaffCheckRequest = v.InferOutput<typeof StaffCheckRequest>;

/** Whether releases of this client need id and PIN. */
export const StaffCheckResponse = v.object({
  /** Releases of this client need `staff`. */
  pinRequired: v.boolean(),
});
export type StaffCheckResponse = v.InferOutput<typeof StaffCheckResponse>;
