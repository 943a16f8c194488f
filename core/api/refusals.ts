import { type Endpoint, type EndpointName, endpoints } from "./endpoints.ts";
import { type ErrorCode, STATUS_OF } from "./error-codes.ts";

/**
 * What each endpoint may answer besides success (rules §1), derived from its row of the table. The OpenAPI
 * document lists it, and the tests hold every answer against that list.
 */

/** Codes that each endpoint's own rules give; those that follow from its row are derived. */
const refusalsOfRules: { readonly [Name in EndpointName]?: readonly ErrorCode[] } = {
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
  deviceLoss: ["not_lock_holder", "invalid_credentials", "too_many_attempts"],
  bagTrace: ["not_lock_holder"],
  bagTraceChange: ["not_lock_holder"],
  locationLink: ["device_not_found"],
  journeyFromRecordLocator: ["journey_not_found", "airline_required", "too_many_attempts"],
  journeyFromBcbp: ["invalid_bcbp_format", "journey_not_found", "airline_required", "too_many_attempts"],
  journeysFromAirlinePayload: ["baggage_not_found", "bag_limit", "device_locked"],
  baggageSourceMessages: ["invalid_bsm_format"],
  baggageTag: ["journey_not_found", "baggage_not_found", "bag_limit", "bag_refused"],
  journey: ["journey_not_found"],
  delegation: ["journey_not_found", "too_many_requests"],
  delegationClaim: ["delegation_ended", "too_many_attempts"],
  delegationDecision: ["delegation_ended"],
};

/** Every code `name` may answer with, in the order of the error table. */
export function refusalsOf(name: EndpointName): readonly ErrorCode[] {
  const endpoint: Endpoint = endpoints[name];
  const codes = new Set<ErrorCode>([...(refusalsOfRules[name] ?? []), ...fromRow(endpoint)]);
  return (Object.keys(STATUS_OF) as ErrorCode[]).filter((code) => codes.has(code));
}

function fromRow(endpoint: Endpoint): readonly ErrorCode[] {
  const isBearer = endpoint.security === "bearer";
  const looksAtKey = endpoint.security !== "none" || endpoint.withoutKey !== undefined;
  return [
    "method_not_allowed",
    // Of a page whose origin is listed nowhere.
    "unauthorized_client",
    "internal_error",
    "service_unavailable",
    ...when(!endpoint.looseBody, "unsupported_media_type", "payload_too_large", "invalid_request"),
    ...when(!endpoint.looseBody && hasFields(endpoint), "required_info_not_provided"),
    // An endpoint that looks at a client key looks at a DPoP proof as well.
    ...when(looksAtKey, "invalid_dpop_proof"),
    ...when(isBearer, "unauthorized_token"),
    ...when(endpoint.idempotent === true, "idempotency_key_reused"),
    ...when(isRated(endpoint), "too_many_requests"),
    ...when(endpoint.scopes.length > 0, "insufficient_scope"),
  ];
}

const when = (condition: boolean, ...codes: readonly ErrorCode[]) => (condition ? codes : []);

const isRated = ({ networkRate, loginRate, subjectRate }: Endpoint) =>
  [networkRate, loginRate, subjectRate].some((rate) => rate !== undefined);

const hasFields = ({ request }: Endpoint) =>
  "entries" in request && Object.keys(Object(request.entries)).length > 0;
