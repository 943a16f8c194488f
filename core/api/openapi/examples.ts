import { type ErrorCode, STATUS_OF } from "../error-codes.ts";
import { type ErrorResponse, errorResponse } from "../errors.ts";
import type {
  AnswerOf,
  EbtConfiguration,
  EndpointName,
  HealthResponse,
  Journey,
  JwksResponse,
  LoginResponse,
  PublicJwk,
  RequestOf,
} from "../index.ts";
import { LOCALES } from "../locales.ts";

/**
 * One example per operation and per error code. Each is carried out against the service with the development data
 * (worker/test/examples.test.ts, worker/test/error-table.test.ts).
 */

/** Replaces `{journeyId}`. */
export const PATH_EXAMPLE = "demo-journey-1";

const JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbiBleGFtcGxlIn0.c2lnbmF0dXJl";
const TAG = "ebt-21-0001";

const LOGIN: LoginResponse = {
  accessToken: JWT,
  tokenType: "Bearer",
  expiresIn: 600,
  refreshToken: "q8rVqAZ2fJ5mWl4Xv0TnYcS1dEoG7uKbHxRiNpM6tL3",
  refreshExpiresIn: 86_400,
};
const ATTESTED = { nonce: "0fL6tM3pWcq9Jk2vXyB7aQ", attestationObject: JWT };

const FLIGHT = { carrier: "SK", number: "1234", date: "2027-03-14", from: "OSL", to: "ARN" };
const BAG = { baggageId: 1, licencePlate: "0117123456", readable: "SK123456" };
/** Staff have released the bag's tag. */
const ENDED = { reason: "staff", at: "2027-03-14T05:12:00.000Z", uniqueDeviceId: "ebt-21-0001" } as const;
const ADA: Journey = {
  journeyId: PATH_EXAMPLE,
  recordLocator: "ABC123",
  passenger: { givenName: "ADA", surname: "LOVELACE" },
  flights: [
    {
      ...FLIGHT,
      scheduledDeparture: "2027-03-14T07:15:00.000Z",
      scheduledArrival: "2027-03-14T08:15:00.000Z",
    },
    {
      carrier: "SK",
      number: "0999",
      date: "2027-03-14",
      from: "ARN",
      to: "HEL",
      scheduledDeparture: "2027-03-14T09:30:00.000Z",
      scheduledArrival: "2027-03-14T10:30:00.000Z",
    },
  ],
  baggage: [BAG, { baggageId: 2, licencePlate: "0117123457", readable: "SK123457" }],
  departureAirport: "OSL",
  destinationAirport: "HEL",
  destinationCity: "HELSINKI",
  destinationNames: { en: "Helsinki", nb: "Helsingfors", ar: "هلسنكي", zh: "赫尔辛基", ja: "ヘルシンキ" },
  version: 1,
};
const REPORT = {
  at: "2027-03-13T12:04:00.000Z",
  airport: "OSL",
  desk: "4",
  words: "Blue suitcase, one wheel is gone.",
};
const LINK = "https://share.apple.com/item/4pY1xQz";
/** What an event says of it. */
const ADAS_BAG = {
  journeyId: PATH_EXAMPLE,
  baggageId: 1,
  licencePlate: "0117123456",
  evidence: "entitled",
} as const;
const GRACE: Journey = {
  journeyId: "m1cFvQhY0Xw8oZbKe3uJr5TgN7sLpA2dRi9yWxEt4Hk",
  recordLocator: "HOPPER",
  passenger: { surname: "Hopper", givenName: "Grace" },
  flights: [FLIGHT],
  baggage: [],
  departureAirport: "OSL",
  destinationAirport: "ARN",
  version: 1,
};
const BSM = `BSM
.V/1LOSL
.F/SK1234/14MAR/ARN/Y
.N/0117800001001
.P/1HOPPER/GRACE
.L/HOPPER
ENDBSM
`;

const CHANGE =
  "BSM\nCHG\n.V/1LOSL\n.F/SK1234/14MAR/ARN\n.O/SK0999/14MAR/HEL\n.N/0117123456001\n.P/LOVELACE/ADA\n.L/ABC123\nENDBSM\n";

/** What a caller sends, and what the service answers. */
export interface Example<Name extends EndpointName> {
  readonly request?: RequestOf<Name>;
  readonly response: AnswerOf<Name>;
}

/** In an order in which one service can carry them out. */
export const EXAMPLES: { readonly [Name in EndpointName]: Example<Name> } = {
  nonce: {
    response: { nonce: ATTESTED.nonce, expiresAt: "2027-03-13T12:05:00.000Z", ttlSeconds: 300 },
  },
  federatedSession: { request: { token: JWT }, response: LOGIN },
  attestationSession: { request: ATTESTED, response: LOGIN },
  guestSession: { request: ATTESTED, response: LOGIN },
  b2bSession: {
    request: { username: "kiosk-osl-1", password: "correct horse battery staple" },
    response: LOGIN,
  },
  refresh: { request: { refreshToken: LOGIN.refreshToken ?? "" }, response: LOGIN },
  staffCheck: {
    request: { staff: { id: "1001", pin: "24681357" }, purpose: "set_up" },
    response: { pinRequired: false },
  },
  journeyFromRecordLocator: {
    request: { recordLocator: "ABC123", surname: "Lovelace" },
    response: ADA,
  },
  journeyFromBcbp: {
    request: { scanData: "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 073Y008A0034 100", airline: "SK" },
    response: ADA,
  },
  journeys: { request: {}, response: { journeys: [ADA] } },
  journey: { request: {}, response: ADA },
  deviceClientCertificate: { request: {}, response: { certificateChain: "MIIBwzCCAWmgAwIBAgIQ" } },
  ebtLookup: {
    request: { uniqueDeviceId: TAG, forBaggageId: 1 },
    response: { locked: false, sameTravelPlan: false, requiresCustodyProof: false },
  },
  ebtAuthorization: {
    request: { uniqueDeviceId: TAG, nonce: ATTESTED.nonce, operation: "write", gattVersion: "2.1" },
    response: { transactionToken: "hE2iASYESDFMU2k0VlV3oFhyqQFodGFnbGF0Y2g" },
  },
  deviceAttachment: {
    request: { device: { uniqueID: TAG, batteryPercentage: 80 }, baggageId: 1 },
    response: {
      uniqueDeviceId: TAG,
      baggageId: 1,
      journeyId: PATH_EXAMPLE,
      locked: true,
      lockedAt: "2027-03-13T12:01:00.000Z",
    },
  },
  delegation: {
    request: { journeyId: PATH_EXAMPLE },
    response: {
      delegationId: "T5sYbW0qk3Zr1nXc",
      code: "4rBqVw7Yt1Zk0sNfJ2mLxA",
      expiresAt: "2027-03-13T12:11:00.000Z",
    },
  },
  delegationClaim: {
    request: { code: "4rBqVw7Yt1Zk0sNfJ2mLxA" },
    response: { delegationId: "T5sYbW0qk3Zr1nXc", comparison: "042" },
  },
  delegationDecision: {
    request: { delegationId: "T5sYbW0qk3Zr1nXc", confirmed: true },
    response: { delegationId: "T5sYbW0qk3Zr1nXc", state: "claimed" },
  },
  delegations: {
    request: {},
    response: {
      delegations: [
        {
          delegationId: "T5sYbW0qk3Zr1nXc",
          state: "claimed",
          role: "holder",
          confirmed: true,
          comparison: "042",
          expiresAt: "2027-03-13T12:11:00.000Z",
          journeyIds: [PATH_EXAMPLE],
        },
      ],
    },
  },
  outcomes: {
    request: {
      outcomes: [
        {
          ...{
            operation: "transfer",
            phase: "write",
            outcome: "link_lost",
            generation: "2.1",
            firmware: "1.4.0",
          },
          app: "google chrome/142",
          os: "android/16",
          milliseconds: 2_300,
        },
      ],
    },
    response: { received: true },
  },
  deviceLoss: { request: { uniqueDeviceId: TAG, lost: true }, response: { uniqueDeviceId: TAG, lost: true } },
  foundReport: {
    request: { uniqueDeviceId: TAG, airport: "OSL", desk: "4", words: "Blue suitcase, one wheel is gone." },
    response: { received: true },
  },
  bagTrace: {
    request: { uniqueDeviceId: TAG },
    response: {
      uniqueDeviceId: TAG,
      lostSince: "2027-03-13T12:02:00.000Z",
      muted: false,
      reports: [REPORT],
      more: 0,
    },
  },
  bagTraceChange: {
    request: { uniqueDeviceId: TAG, muted: true, locationLink: LINK, pushEndpoint: "" },
    response: {
      uniqueDeviceId: TAG,
      lostSince: "2027-03-13T12:02:00.000Z",
      muted: true,
      ...{
        reports: [REPORT],
        more: 0,
        link: { host: "share.apple.com", addedAt: "2027-03-13T12:05:00.000Z" },
      },
    },
  },
  tracedBags: {
    request: { uniqueDeviceId: TAG },
    response: {
      bags: [
        {
          uniqueDeviceId: TAG,
          journeyId: PATH_EXAMPLE,
          baggageId: 1,
          licencePlate: "0117123456",
          flight: "SK 0999",
          lostSince: "2027-03-13T12:02:00.000Z",
          foundAt: REPORT.at,
          reportCount: 1,
          hasLocationLink: true,
          reports: [{ ...REPORT, source: "pOm3kq0dXa" }],
        },
      ],
    },
  },
  locationLink: {
    request: { uniqueDeviceId: TAG },
    response: { uniqueDeviceId: TAG, locationLink: LINK },
  },
  ebtUnlock: { request: { uniqueDeviceId: TAG }, response: { uniqueDeviceId: TAG, locked: false } },
  ebtCustodyProof: {
    request: { uniqueDeviceId: TAG, recordLocator: "ABC123", surname: "Lovelace" },
    response: { uniqueDeviceId: TAG, locked: false },
  },
  lockRelease: {
    request: { uniqueDeviceId: TAG, reason: "passenger at the desk, passport seen" },
    response: { uniqueDeviceId: TAG, locked: false },
  },
  auditEvents: {
    request: { uniqueDeviceId: TAG, event: "lost" },
    response: {
      events: [
        {
          at: "2027-03-13T12:02:00.000Z",
          event: "lost",
          requestId: "50e7bd6e8a045fc3",
          airline: "SK",
          uniqueDeviceId: TAG,
          subject: "oOuwRFzTTx2AX4BKPQIce2kSjGRI8N4plRtU1CES9-U",
          clientId: "client-passenger",
          ...ADAS_BAG,
        },
      ],
    },
  },
  events: {
    request: { limit: 1 },
    response: {
      events: [
        {
          id: "m0w5Zc1rS0q5l3k8o1S2eA",
          at: "2027-03-13T12:01:00.000Z",
          event: "attached",
          airline: "SK",
          uniqueDeviceId: TAG,
          ...ADAS_BAG,
          baggageMessage: CHANGE,
        },
      ],
      cursor: "2rYkzXv0mQ5WJmA8q1yS0d2Vb7mJ0cE1v8Yp3w",
      more: true,
    },
  },
  journeysFromAirlinePayload: {
    request: {
      airline: "SK",
      recordLocator: "HOPPER",
      flights: [FLIGHT],
      passengers: [{ surname: "Hopper", givenName: "Grace" }],
    },
    response: { journeys: [GRACE] },
  },
  baggageSourceMessages: {
    request: { message: BSM },
    response: {
      results: [
        {
          line: 1,
          action: "ADD",
          licencePlates: ["0117800001"],
          outcome: "applied",
          journeyId: GRACE.journeyId,
        },
      ],
    },
  },
  baggageTag: {
    request: { slotNumber: 2 },
    response: { ...ADA, baggage: [{ ...BAG, lockEnded: ENDED }, ...ADA.baggage.slice(1)] },
  },
  logout: { response: { loggedOut: true } },
};

const P256 = { kty: "EC", crv: "P-256", x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4" } as const;
const PUBLIC_JWK: PublicJwk = {
  ...P256,
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
  kid: "2027-03",
  alg: "ES256",
  use: "sig",
};
const PEM = "-----BEGIN CERTIFICATE-----\nMIIBwzCCAWmgAwIBAgIQ\n-----END CERTIFICATE-----\n";

/** What GET answers, by operation. */
export const DOCUMENT_EXAMPLES = {
  accessTokenKeys: { keys: [PUBLIC_JWK, { ...PUBLIC_JWK, kid: "2026-09" }] } satisfies JwksResponse,
  ebtConfiguration: {
    issuer: "taglatch",
    environment: "development",
    clientKeys: { passenger: "demo-passenger-key", kiosk: "demo-kiosk-key" },
    clientRoots: [PEM],
    tagRoots: [PEM],
    tokenKeys: { keys: [PUBLIC_JWK] },
    gatt: {
      service: "a9ffda49-387d-4bec-94e5-e89af21bf541",
      INFO: "a9ffda4a-387d-4bec-94e5-e89af21bf541",
      ID: "a9ffda4b-387d-4bec-94e5-e89af21bf541",
      CERT: "a9ffda4c-387d-4bec-94e5-e89af21bf541",
      NONCE: "a9ffda4d-387d-4bec-94e5-e89af21bf541",
      AUTH: "a9ffda4e-387d-4bec-94e5-e89af21bf541",
      SEC: "a9ffda4f-387d-4bec-94e5-e89af21bf541",
      DATA: "a9ffda50-387d-4bec-94e5-e89af21bf541",
      STATUS: "a9ffda51-387d-4bec-94e5-e89af21bf541",
    },
    locales: [...LOCALES],
    handOverOrigins: ["https://host-airline.example"],
    limits: {
      maxCustodyProofAttempts: 3,
      transactionTokenSeconds: 120,
      certificateRenewSeconds: 86_400,
      maxBagsPerJourney: 10,
    },
  } satisfies EbtConfiguration,
  health: { status: "ok" } satisfies HealthResponse,
};

/** What a thrower says that is more precise than the error table. */
const SAID: Readonly<Partial<Record<ErrorCode, Pick<ErrorResponse, "errors"> & Partial<ErrorResponse>>>> = {
  required_info_not_provided: {
    message: "Mandatory information is missing: uniqueDeviceId.",
    errors: ["uniqueDeviceId is required"],
  },
  invalid_request: {
    message: "The request is malformed: body.",
    errors: ["body must be JSON"],
  },
  invalid_bcbp_format: {
    message: "The boarding pass data is malformed at position 3.",
    errors: ["scanData must have a name at position 3"],
  },
  invalid_bsm_format: {
    message: "The baggage message is malformed at line 2.",
    errors: ["line 2: the line ENDBSM expected"],
  },
  airline_required: { errors: ["LH", "SK"] },
  bag_refused: { errors: ["allowance", "Two bags are included in your fare."] },
  insufficient_scope: { errors: ["audit:read is required"] },
};

/** The body of a refusal by its code. */
export const ERROR_EXAMPLES = Object.fromEntries(
  (Object.keys(STATUS_OF) as ErrorCode[]).map((code) => [code, errorResponse(code, SAID[code])]),
) as Readonly<Record<ErrorCode, ErrorResponse>>;
