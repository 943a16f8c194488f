import type * as v from "valibot";
import * as audit from "./audit.ts";
import { type Call, calls } from "./calls.ts";
import * as delegations from "./delegations.ts";
import * as feeds from "./feeds.ts";
import * as journeys from "./journeys.ts";
import type { Limits } from "./limits.ts";
import * as outcomes from "./outcomes.ts";
import * as sessions from "./sessions.ts";
import * as tags from "./tags.ts";
import * as traces from "./traces.ts";

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
  "bag:trace",
  "baggage:message",
] as const;
export type Scope = (typeof SCOPES)[number];

/** One endpoint, with what the service asks of a request. */
export interface Endpoint extends Call {
  /** none: nothing; client: X-Source-App-Key; bearer: the key and an access token. */
  readonly security: "none" | "client" | "bearer";
  /**
   * For `none` endpoints that look at a client key when one is sent (and refuse a wrong one): what happens
   * without a key. default: the default client's rules apply; allowed: no client is needed.
   */
  readonly withoutKey?: "default" | "allowed";
  readonly scopes: readonly Scope[];
  readonly request: v.GenericSchema<unknown, unknown>;
  /** Where no body is refused. ignored: not looked at, nor its type; optional: absent where it is not the record. */
  readonly looseBody?: "ignored" | "optional";
  /** Whose repetition changes nothing, or records its DPoP proof where it does (rules §3); all others record it. */
  readonly replayable?: true;
  /** Refusals that strangers can cause, from anywhere, are in the log line and not in the audit log. */
  readonly strangersUnaudited?: true;
  /** The timing of the answer could reveal something: no Server-Timing (rules §1). */
  readonly oracle?: true;
  /** Takes an Idempotency-Key: the outcome is kept and repeated (rules §8). */
  readonly idempotent?: true;
  /** How often it may be called (rules §2), counted by the caller's network before the caller is known. */
  readonly networkRate?: "nonce" | "login";
  /** Logins: refused ones are counted by the caller's network, apart from those that succeed (rules §2). */
  readonly loginRate?: true;
  /**
   * The same, counted by caller as soon as the access token has verified; every bearer endpoint has one. `write` also
   * counts the accepted requests of a network's passengers.
   */
  readonly subjectRate?: "lookup" | "feed" | "read" | "write";
  /** Which limit caps the body. */
  readonly maxBody: keyof Limits & ("bodyBytes" | "feedBodyBytes");
  /** Number in the interface; absent for additions. */
  readonly number?: number;
}

const maxBody = "bodyBytes";
const login = {
  security: "none",
  scopes: [],
  oracle: true,
  maxBody,
} as const;
const rated = { ...login, loginRate: true } as const;
const bearer = { security: "bearer", maxBody } as const;
const reading = { ...bearer, replayable: true, subjectRate: "read" } as const;
const writing = { ...bearer, subjectRate: "write" } as const;
const ofJourneys = { ...writing, scopes: ["journey:read"] } as const;

/** Every POST endpoint as the service sees it: for routes, documents and tests. `@__PURE__`: page and SDK leave it out. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table.
export const endpoints = /* @__PURE__ */ (() =>
  ({
    federatedSession: {
      ...calls.federatedSession,
      ...rated,
      number: 1,
      security: "client",
      request: sessions.FederatedLoginRequest,
    },
    nonce: {
      ...calls.nonce,
      number: 2,
      security: "none",
      scopes: [],
      request: sessions.EmptyRequest,
      networkRate: "nonce",
      looseBody: "ignored",
      maxBody,
    },
    attestationSession: {
      ...calls.attestationSession,
      ...rated,
      number: 3,
      withoutKey: "default",
      request: sessions.AttestationLoginRequest,
    },
    guestSession: {
      ...calls.guestSession,
      ...rated,
      number: 4,
      withoutKey: "default",
      request: sessions.GuestLoginRequest,
    },
    b2bSession: {
      ...calls.b2bSession,
      ...rated,
      number: 5,
      security: "client",
      request: sessions.B2BSecretLoginRequest,
    },
    refresh: {
      ...calls.refresh,
      ...login,
      strangersUnaudited: true,
      number: 6,
      withoutKey: "allowed",
      request: sessions.RefreshTokenRequest,
    },
    logout: {
      ...calls.logout,
      ...writing,
      scopes: [],
      request: sessions.EmptyRequest,
      looseBody: "ignored",
    },
    staffCheck: {
      ...calls.staffCheck,
      ...writing,
      scopes: [],
      request: sessions.StaffCheckRequest,
      oracle: true,
    },
    deviceClientCertificate: {
      ...calls.deviceClientCertificate,
      ...writing,
      number: 7,
      scopes: ["tag:write"],
      request: sessions.DeviceClientCertificateRequest,
      looseBody: "optional",
      // Repeated, it certifies the same key again, of whose certificates only its owner has the use.
      replayable: true,
    },
    ebtAuthorization: {
      ...calls.ebtAuthorization,
      ...writing,
      number: 8,
      scopes: ["tag:write"],
      request: tags.EbtAuthorizationRequest,
    },
    deviceAttachment: {
      ...calls.deviceAttachment,
      ...writing,
      number: 9,
      scopes: ["tag:write"],
      request: tags.DeviceAttachmentRequest,
      idempotent: true,
    },
    ebtLookup: {
      ...calls.ebtLookup,
      ...reading,
      number: 10,
      scopes: ["tag:read"],
      request: tags.EbtLockLookupRequest,
      subjectRate: "lookup",
    },
    ebtCustodyProof: {
      ...calls.ebtCustodyProof,
      ...writing,
      number: 11,
      scopes: ["tag:unlock"],
      request: tags.EbtCustodyProofRequest,
      oracle: true,
      idempotent: true,
    },
    ebtUnlock: {
      ...calls.ebtUnlock,
      ...writing,
      number: 12,
      scopes: ["tag:unlock"],
      request: tags.EbtUnlockRequest,
      idempotent: true,
    },
    lockRelease: {
      ...calls.lockRelease,
      ...writing,
      scopes: ["tag:release"],
      request: tags.LockReleaseRequest,
      oracle: true,
    },
    deviceLoss: {
      ...calls.deviceLoss,
      ...writing,
      scopes: ["tag:write"],
      request: tags.DeviceLossRequest,
    },
    foundReport: {
      path: "/v2/found-reports",
      response: traces.FoundReportResponse,
      security: "none",
      scopes: [],
      request: traces.FoundReportRequest,
      networkRate: "login",
      oracle: true,
      maxBody,
    },
    bagTrace: {
      ...calls.bagTrace,
      ...reading,
      scopes: ["tag:write"],
      request: traces.BagTraceRequest,
    },
    bagTraceChange: {
      ...calls.bagTraceChange,
      ...writing,
      scopes: ["tag:write"],
      request: traces.BagTraceChangeRequest,
    },
    tracedBags: {
      ...calls.tracedBags,
      ...reading,
      scopes: ["bag:trace"],
      request: traces.TracedBagsRequest,
    },
    locationLink: {
      ...calls.locationLink,
      ...writing,
      scopes: ["bag:trace"],
      request: traces.LocationLinkRequest,
    },
    journeyFromRecordLocator: {
      ...calls.journeyFromRecordLocator,
      ...writing,
      scopes: ["journey:read"],
      request: journeys.JourneyFromRecordLocatorRequest,
      oracle: true,
      replayable: true,
    },
    journeyFromBcbp: {
      ...calls.journeyFromBcbp,
      ...writing,
      scopes: ["journey:read"],
      request: journeys.JourneyFromBcbpRequest,
      oracle: true,
      replayable: true,
    },
    journeysFromAirlinePayload: {
      path: "/v2/journeys/from-airline-payload",
      response: feeds.JourneysFromAirlinePayloadResponse,
      ...writing,
      scopes: ["journey:write"],
      request: feeds.JourneysFromAirlinePayloadRequest,
      maxBody: "feedBodyBytes",
      subjectRate: "feed",
    },
    baggageSourceMessages: {
      path: "/v2/baggage-source-messages",
      response: feeds.BaggageSourceMessagesResponse,
      ...writing,
      scopes: ["journey:write"],
      request: feeds.BaggageSourceMessagesRequest,
      maxBody: "feedBodyBytes",
      subjectRate: "feed",
    },
    baggageTag: {
      ...calls.baggageTag,
      ...writing,
      scopes: ["journey:bag"],
      request: journeys.BaggageTagRequest,
      idempotent: true,
    },
    journeys: {
      ...calls.journeys,
      ...reading,
      scopes: ["journey:read"],
      request: sessions.EmptyRequest,
    },
    journey: {
      ...calls.journey,
      ...reading,
      scopes: ["journey:read"],
      request: sessions.EmptyRequest,
    },
    delegation: { ...calls.delegation, ...ofJourneys, request: delegations.DelegationRequest },
    delegationClaim: {
      ...calls.delegationClaim,
      ...ofJourneys,
      request: delegations.DelegationClaimRequest,
      oracle: true,
    },
    delegationDecision: {
      ...calls.delegationDecision,
      ...ofJourneys,
      request: delegations.DelegationDecisionRequest,
    },
    delegations: {
      ...calls.delegations,
      ...reading,
      scopes: ["journey:read"],
      request: sessions.EmptyRequest,
    },
    outcomes: {
      path: "/v2/outcomes",
      response: outcomes.OutcomesResponse,
      security: "none",
      scopes: [],
      request: outcomes.OutcomesRequest,
      networkRate: "nonce",
      maxBody,
    },
    auditEvents: {
      path: "/v2/audit-events",
      response: audit.AuditEventsResponse,
      ...reading,
      scopes: ["audit:read"],
      request: audit.AuditEventsRequest,
    },
    events: {
      path: "/v2/events",
      response: audit.EventsResponse,
      ...reading,
      scopes: ["audit:read"],
      request: audit.EventsRequest,
    },
  }) as const satisfies Record<CallName, Endpoint> & Readonly<Record<string, Endpoint>>)();

export type EndpointName = keyof typeof endpoints;
/** One that page and SDK call. */
export type CallName = keyof typeof calls;
/** What a caller of `Name` may send. */
export type RequestOf<Name extends EndpointName> = v.InferInput<(typeof endpoints)[Name]["request"]>;
/** The parsed body a route of `Name` hands to its service. */
export type InputOf<Name extends EndpointName> = v.InferOutput<(typeof endpoints)[Name]["request"]>;
/** The success body of `Name`. */
export type AnswerOf<Name extends EndpointName> = v.InferOutput<(typeof endpoints)[Name]["response"]>;
