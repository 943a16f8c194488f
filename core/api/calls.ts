import type * as v from "valibot";
import * as delegations from "./delegations.ts";
import * as journeys from "./journeys.ts";
import * as sessions from "./sessions.ts";
import * as tags from "./tags.ts";
import * as traces from "./traces.ts";

/** What a client must know of an endpoint. */
export interface Call {
  readonly path: `/v2/${string}`;
  readonly response: v.GenericSchema<unknown, unknown>;
  /** A copy of the database may answer, if it has seen the caller's bookmark (D1 Sessions). */
  readonly replica?: true;
}

/** The POST endpoints that a session of the SDK calls. The SDK loads this table and none of the others. */
export const calls = {
  federatedSession: { path: "/v2/auth/federated/sessions", response: sessions.LoginResponse },
  nonce: { path: "/v2/auth/nonces", response: sessions.NonceResponse },
  attestationSession: { path: "/v2/auth/attestation/sessions", response: sessions.LoginResponse },
  guestSession: { path: "/v2/auth/guest/sessions", response: sessions.LoginResponse },
  b2bSession: { path: "/v2/auth/b2b-secret/sessions", response: sessions.LoginResponse },
  refresh: { path: "/v2/auth/refresh", response: sessions.LoginResponse },
  logout: { path: "/v2/auth/logout", response: sessions.LogoutResponse },
  deviceClientCertificate: {
    path: "/v2/auth/device-client-certificates",
    response: tags.DeviceClientCertificateResponse,
  },
  ebtAuthorization: { path: "/v2/ebt-authorizations", response: tags.EbtAuthorizationResponse },
  deviceAttachment: { path: "/v2/device-attachments", response: tags.DeviceAttachmentResponse },
  ebtLookup: { path: "/v2/ebt-lookups", response: tags.EbtLockLookupResponse, replica: true },
  ebtCustodyProof: { path: "/v2/ebt-custody-proofs", response: tags.EbtUnlockResponse },
  ebtUnlock: { path: "/v2/ebt-unlocks", response: tags.EbtUnlockResponse },
  journeyFromRecordLocator: {
    path: "/v2/journeys/from-record-locator",
    response: journeys.JourneyWithCompanions,
  },
  journeyFromBcbp: { path: "/v2/journeys/from-bcbp", response: journeys.JourneyWithCompanions },
  baggageTag: { path: "/v2/journeys/{journeyId}/baggage-tags", response: journeys.BaggageTagResponse },
  journeys: { path: "/v2/journeys", response: journeys.JourneyListResponse },
  journey: { path: "/v2/journeys/{journeyId}", response: journeys.Journey },
  staffCheck: { path: "/v2/auth/staff-checks", response: sessions.StaffCheckResponse },
  lockRelease: { path: "/v2/lock-releases", response: tags.EbtUnlockResponse },
  deviceLoss: { path: "/v2/device-losses", response: tags.DeviceLossResponse },
  bagTrace: { path: "/v2/bag-traces", response: traces.BagTrace },
  bagTraceChange: { path: "/v2/bag-traces/changes", response: traces.BagTrace },
  tracedBags: { path: "/v2/traced-bags", response: traces.TracedBagsResponse },
  locationLink: { path: "/v2/location-links", response: traces.LocationLinkResponse },
  delegation: { path: "/v2/delegations", response: delegations.DelegationCode },
  delegationClaim: { path: "/v2/delegations/claims", response: delegations.DelegationClaimResponse },
  delegationDecision: { path: "/v2/delegations/decisions", response: delegations.DelegationDecisionResponse },
  delegations: { path: "/v2/delegations/list", response: delegations.DelegationListResponse },
} as const satisfies Record<string, Call>;

/** Header names the endpoints use. */
export const HEADER = {
  clientKey: "X-Source-App-Key",
  b2bSecret: "X-B2B-Secret",
  dpop: "DPoP",
  idempotencyKey: "Idempotency-Key",
  requestId: "X-Request-Id",
  bookmark: "X-Database-Bookmark",
} as const;
