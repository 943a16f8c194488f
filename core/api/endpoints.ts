import type * as v from "valibot";
import * as audit from "./audit.ts";
import type { ErrorCode } from "./error-codes.ts";
import * as feeds from "./feeds.ts";
import * as journeys from "./journeys.ts";
import type { Limits } from "./limits.ts";
import * as sessions from "./sessions.ts";
import * as staff from "./staff.ts";
import * as tags from "./tags.ts";

/** What a session may do (rules §3). */
export const SCOPES = [
  "tag:read",
  "tag:write",
  "tag:unlock",
  "journey:read",
  "journey:bag",
  "journey:write",
  "tag:release",
  "audit:read",
] as const;
export type Scope = (typeof SCOPES)[number];

/** One POST endpoint. */
export interface Endpoint {
  readonly path: `/v2/${string}`;
  /** none: nothing; client: X-Source-App-Key; bearer: the key and an access token. */
  readonly security: "none" | "client" | "bearer";
  /**
   * For `none` endpoints that look at a client key when one is sent (and refuse a wrong one): what happens
   * without a key. default: the default client's rules apply; allowed: no client is needed.
   */
  readonly withoutKey?: "default" | "allowed";
  readonly scopes: readonly Scope[];
  readonly request: v.GenericSchema<unknown, unknown>;
  readonly response: v.GenericSchema<unknown, unknown>;
  /**
   * Where no body is refused. ignored: neither it nor its type is looked at; optional: one that is not the
   * record counts as absent.
   */
  readonly looseBody?: "ignored" | "optional";
  /** Idempotent reads: the DPoP proof is checked but not recorded (rules §3). */
  readonly replayable?: true;
  /** A copy of the database may answer, if it has seen the caller's bookmark (D1 Sessions). */
  readonly replica?: true;
  /** The timing of the answer could reveal something: no Server-Timing (rules §1). */
  readonly oracle?: true;
  /** Takes an Idempotency-Key: the outcome is kept and repeated (rules §8). */
  readonly idempotent?: true;
  /** How often it may be called (rules §2), counted by the caller's network before the caller is known. */
  readonly networkRate?: "nonce" | "login";
  /**
   * The same, counted by caller as soon as the access token has verified; every bearer endpoint that writes has
   * one. `write` also counts the networks of passengers.
   */
  readonly subjectRate?: "lookup" | "feed" | "write";
  /** Which limit caps the body. */
  readonly maxBody: keyof Limits & ("bodyBytes" | "feedBodyBytes");
  /** Number in the interface; absent for additions. */
  readonly number?: number;
}

const maxBody = "bodyBytes";
const login = {
  security: "none",
  scopes: [],
  response: sessions.LoginResponse,
  oracle: true,
  maxBody,
} as const;
const bearer = { security: "bearer", maxBody } as const;
const reading = { ...bearer, replayable: true } as const;
const writing = { ...bearer, subjectRate: "write" } as const;

/** Every POST endpoint of the service; routes, documents, tests and the SDK all walk this table. */
export const endpoints = {
  federatedSession: {
    ...login,
    networkRate: "login",
    number: 1,
    path: "/v2/auth/federated/sessions",
    security: "client",
    request: sessions.FederatedLoginRequest,
  },
  nonce: {
    number: 2,
    path: "/v2/auth/nonces",
    security: "none",
    scopes: [],
    request: sessions.EmptyRequest,
    response: sessions.NonceResponse,
    networkRate: "nonce",
    looseBody: "ignored",
    maxBody,
  },
  attestationSession: {
    ...login,
    networkRate: "login",
    number: 3,
    path: "/v2/auth/attestation/sessions",
    withoutKey: "default",
    request: sessions.AttestationLoginRequest,
  },
  guestSession: {
    ...login,
    networkRate: "login",
    number: 4,
    path: "/v2/auth/guest/sessions",
    withoutKey: "default",
    request: sessions.GuestLoginRequest,
  },
  b2bSession: {
    ...login,
    networkRate: "login",
    number: 5,
    path: "/v2/auth/b2b-secret/sessions",
    security: "client",
    request: sessions.B2BSecretLoginRequest,
  },
  refresh: {
    ...login,
    number: 6,
    path: "/v2/auth/refresh",
    withoutKey: "allowed",
    request: sessions.RefreshTokenRequest,
  },
  logout: {
    ...writing,
    path: "/v2/auth/logout",
    scopes: [],
    request: sessions.EmptyRequest,
    response: sessions.LogoutResponse,
    looseBody: "ignored",
  },
  staffCheck: {
    ...writing,
    path: "/v2/auth/staff-checks",
    scopes: [],
    request: staff.StaffCheckRequest,
    response: staff.StaffCheckResponse,
    oracle: true,
  },
  deviceClientCertificate: {
    ...writing,
    number: 7,
    path: "/v2/auth/device-client-certificates",
    scopes: ["tag:write"],
    request: sessions.DeviceClientCertificateRequest,
    response: tags.DeviceClientCertificateResponse,
    looseBody: "optional",
  },
  ebtAuthorization: {
    ...writing,
    number: 8,
    path: "/v2/ebt-authorizations",
    scopes: ["tag:write"],
    request: tags.EbtAuthorizationRequest,
    response: tags.EbtAuthorizationResponse,
  },
  deviceAttachment: {
    ...writing,
    number: 9,
    path: "/v2/device-attachments",
    scopes: ["tag:write"],
    request: tags.DeviceAttachmentRequest,
    response: tags.DeviceAttachmentResponse,
    idempotent: true,
  },
  ebtLookup: {
    ...reading,
    number: 10,
    path: "/v2/ebt-lookups",
    scopes: ["tag:read"],
    request: tags.EbtLockLookupRequest,
    response: tags.EbtLockLookupResponse,
    subjectRate: "lookup",
    replica: true,
  },
  ebtCustodyProof: {
    ...writing,
    number: 11,
    path: "/v2/ebt-custody-proofs",
    scopes: ["tag:unlock"],
    request: tags.EbtCustodyProofRequest,
    response: tags.EbtUnlockResponse,
    oracle: true,
    idempotent: true,
  },
  ebtUnlock: {
    ...writing,
    number: 12,
    path: "/v2/ebt-unlocks",
    scopes: ["tag:unlock"],
    request: tags.EbtUnlockRequest,
    response: tags.EbtUnlockResponse,
    idempotent: true,
  },
  lockRelease: {
    ...writing,
    path: "/v2/lock-releases",
    scopes: ["tag:release"],
    request: tags.LockReleaseRequest,
    response: tags.EbtUnlockResponse,
    oracle: true,
  },
  deviceLoss: {
    ...writing,
    path: "/v2/device-losses",
    scopes: ["tag:write"],
    request: tags.DeviceLossRequest,
    response: tags.DeviceLossResponse,
  },
  journeyFromRecordLocator: {
    ...writing,
    path: "/v2/journeys/from-record-locator",
    scopes: ["journey:read"],
    request: journeys.JourneyFromRecordLocatorRequest,
    response: journeys.JourneyWithCompanions,
    oracle: true,
  },
  journeyFromBcbp: {
    ...writing,
    path: "/v2/journeys/from-bcbp",
    scopes: ["journey:read"],
    request: journeys.JourneyFromBcbpRequest,
    response: journeys.JourneyWithCompanions,
    oracle: true,
  },
  journeysFromAirlinePayload: {
    ...writing,
    path: "/v2/journeys/from-airline-payload",
    scopes: ["journey:write"],
    request: feeds.JourneysFromAirlinePayloadRequest,
    response: journeys.JourneyListResponse,
    maxBody: "feedBodyBytes",
    subjectRate: "feed",
  },
  baggageSourceMessages: {
    ...writing,
    path: "/v2/baggage-source-messages",
    scopes: ["journey:write"],
    request: feeds.BaggageSourceMessagesRequest,
    response: feeds.BaggageSourceMessagesResponse,
    maxBody: "feedBodyBytes",
    subjectRate: "feed",
  },
  baggageTag: {
    ...writing,
    path: "/v2/journeys/{journeyId}/baggage-tags",
    scopes: ["journey:bag"],
    request: journeys.BaggageTagRequest,
    response: journeys.Journey,
    idempotent: true,
  },
  journeys: {
    ...reading,
    path: "/v2/journeys",
    scopes: ["journey:read"],
    request: sessions.EmptyRequest,
    response: journeys.JourneyListResponse,
  },
  journey: {
    ...reading,
    path: "/v2/journeys/{journeyId}",
    scopes: ["journey:read"],
    request: sessions.EmptyRequest,
    response: journeys.Journey,
  },
  auditEvents: {
    ...reading,
    path: "/v2/audit-events",
    scopes: ["audit:read"],
    request: audit.AuditEventsRequest,
    response: audit.AuditEventsResponse,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
/** What a caller of `Name` may send. */
export type RequestOf<Name extends EndpointName> = v.InferInput<(typeof endpoints)[Name]["request"]>;
/** The parsed body a route of `Name` hands to its service. */
export type InputOf<Name extends EndpointName> = v.InferOutput<(typeof endpoints)[Name]["request"]>;
/** The success body of `Name`. */
export type AnswerOf<Name extends EndpointName> = v.InferOutput<(typeof endpoints)[Name]["response"]>;

/** Header names the endpoints use. */
export const HEADER = {
  clientKey: "X-Source-App-Key",
  b2bSecret: "X-B2B-Secret",
  dpop: "DPoP",
  idempotencyKey: "Idempotency-Key",
  requestId: "X-Request-Id",
  bookmark: "X-Database-Bookmark",
} as const;

/** What each endpoint does, in one line for the reference. Apart from the rows, so that no page loads it. */
export const summaries: { readonly [Name in EndpointName]: string } = {
  federatedSession: "Log in with a trusted host app's token",
  nonce: "Obtain a nonce for an attestation",
  attestationSession: "Log in as an identified app user with e-mail",
  guestSession: "Log in as a guest",
  b2bSession: "Log in as ground staff with a shared secret",
  refresh: "Exchange a refresh token for a new access token",
  logout: "End the session and its refresh tokens",
  staffCheck: "Check which member of staff stands at a signed-in kiosk",
  deviceClientCertificate: "Obtain the certificate chain a client presents to a tag",
  ebtAuthorization: "Obtain a transaction token for one write or clear",
  deviceAttachment: "Attach a bag to a tag and lock the tag to its journey",
  ebtLookup: "Look up the lock of a tag",
  ebtCustodyProof: "Unlock a tag by record locator and surname",
  ebtUnlock: "Unlock a tag as the holder of its lock",
  lockRelease: "Unlock a tag of the caller's airline as ground staff",
  deviceLoss: "Mark a tag lost, or found again, as the holder of its lock or ground staff",
  journeyFromRecordLocator: "Load a booking by record locator and surname",
  journeyFromBcbp: "Load a booking by a boarding pass",
  journeysFromAirlinePayload: "Create or complete a booking of the caller's airline",
  baggageSourceMessages: "Take baggage source messages of the caller's airline",
  baggageTag: "Add a bag to one of the caller's journeys",
  journeys: "List the caller's journeys",
  journey: "One of the caller's journeys",
  auditEvents: "Read what happened at the caller's airlines",
};

/** Codes that each endpoint's own rules give; those that follow from its row are derived (refusals.ts). No page loads it. */
export const refusalsOfRules: { readonly [Name in EndpointName]?: readonly ErrorCode[] } = {
  federatedSession: ["invalid_federated_token"],
  attestationSession: ["invalid_nonce", "invalid_attestation"],
  guestSession: ["invalid_nonce", "invalid_attestation"],
  b2bSession: ["invalid_credentials"],
  refresh: ["invalid_refresh_token", "too_many_requests"],
  staffCheck: ["insufficient_scope", "invalid_credentials", "too_many_attempts"],
  ebtAuthorization: [
    "custody_proof_required",
    "device_lost",
    "baggage_not_found",
    "device_not_found",
    "gatt_version_refused",
    "payload_mismatch",
  ],
  deviceAttachment: [
    "baggage_not_found",
    "device_not_found",
    "device_locked",
    "stale_statement",
    "stale_attachment",
    "too_many_requests",
  ],
  ebtCustodyProof: ["custody_proof_invalid", "too_many_attempts"],
  ebtUnlock: ["not_lock_holder", "stale_statement", "stale_attachment"],
  lockRelease: ["invalid_credentials", "too_many_attempts", "too_many_requests"],
  deviceLoss: ["not_lock_holder"],
  journeyFromRecordLocator: ["journey_not_found", "too_many_attempts"],
  journeyFromBcbp: ["invalid_bcbp_format", "journey_not_found", "too_many_attempts"],
  journeysFromAirlinePayload: ["baggage_not_found", "bag_limit"],
  baggageSourceMessages: ["invalid_bsm_format"],
  baggageTag: ["journey_not_found", "baggage_not_found", "bag_limit"],
  journey: ["journey_not_found"],
};
