import { type Endpoint, type EndpointName, endpoints } from "./endpoints.ts";
import { ERRORS, type ErrorCode } from "./errors.ts";

/**
 * What each endpoint may answer beside success (rules §1). The OpenAPI document lists it, and the tests hold every
 * answer against that list.
 */

/** Codes of the endpoint's own rules; what follows from its row of the table is in {@link refusalsOf}. */
const OWN: { readonly [Name in EndpointName]: readonly ErrorCode[] } = {
  federatedSession: ["invalid_federated_token", "too_many_requests"],
  nonce: ["too_many_requests"],
  attestationSession: ["invalid_nonce", "invalid_attestation", "too_many_requests"],
  guestSession: ["invalid_nonce", "invalid_attestation", "too_many_requests"],
  b2bSession: ["invalid_credentials", "too_many_requests"],
  refresh: ["invalid_refresh_token"],
  logout: [],
  deviceClientCertificate: [],
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
    "idempotency_key_reused",
    "too_many_requests",
  ],
  ebtLookup: ["too_many_requests"],
  ebtCustodyProof: ["custody_proof_invalid", "idempotency_key_reused", "too_many_attempts"],
  ebtUnlock: ["not_lock_holder", "idempotency_key_reused"],
  lockRelease: [],
  deviceLoss: ["not_lock_holder"],
  journeyFromRecordLocator: ["journey_not_found", "too_many_attempts"],
  journeyFromBcbp: ["invalid_bcbp_format", "journey_not_found", "too_many_attempts"],
  journeys: [],
  journey: ["journey_not_found"],
  auditEvents: [],
  baggageTag: ["journey_not_found", "baggage_not_found", "bag_limit", "idempotency_key_reused"],
  journeysFromAirlinePayload: ["baggage_not_found", "bag_limit", "too_many_requests"],
  baggageSourceMessages: ["invalid_bsm_format", "too_many_requests"],
};

/** Every code `name` may answer with, in the order of the error table. */
export function refusalsOf(name: EndpointName): readonly ErrorCode[] {
  const endpoint: Endpoint = endpoints[name];
  const codes = new Set<ErrorCode>([...OWN[name], ...fromRow(endpoint)]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

function fromRow(endpoint: Endpoint): readonly ErrorCode[] {
  const isBearer = endpoint.security === "bearer";
  const looksAtKey = endpoint.security !== "none" || endpoint.withoutKey !== undefined;
  return [
    "method_not_allowed",
    "internal_error",
    "service_unavailable",
    ...when(!endpoint.ignoresBody, "unsupported_media_type", "payload_too_large", "invalid_request"),
    ...when(!endpoint.ignoresBody && hasFields(endpoint), "required_info_not_provided"),
    // Whoever looks at a client key looks at a DPoP proof as well.
    ...when(looksAtKey, "unauthorized_client", "invalid_dpop_proof"),
    ...when(isBearer, "unauthorized_token"),
    ...when(endpoint.scopes.length > 0, "insufficient_scope"),
  ];
}

const when = (condition: boolean, ...codes: readonly ErrorCode[]) => (condition ? codes : []);

const hasFields = ({ request }: Endpoint) =>
  "entries" in request && Object.keys(Object(request.entries)).length > 0;
