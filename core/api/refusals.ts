import { type Endpoint, type EndpointName, endpoints, refusalsOfRules } from "./endpoints.ts";
import { type ErrorCode, STATUS_OF } from "./error-codes.ts";

/**
 * What each endpoint may answer besides success (rules §1), derived from its row of the table. The OpenAPI
 * document lists it, and the tests hold every answer against that list.
 */

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
    "internal_error",
    "service_unavailable",
    ...when(!endpoint.looseBody, "unsupported_media_type", "payload_too_large", "invalid_request"),
    ...when(!endpoint.looseBody && hasFields(endpoint), "required_info_not_provided"),
    // An endpoint that looks at a client key looks at a DPoP proof as well.
    ...when(looksAtKey, "unauthorized_client", "invalid_dpop_proof"),
    ...when(isBearer, "unauthorized_token"),
    ...when(endpoint.idempotent === true, "idempotency_key_reused"),
    ...when(endpoint.networkRate !== undefined || endpoint.subjectRate !== undefined, "too_many_requests"),
    ...when(endpoint.scopes.length > 0, "insufficient_scope"),
  ];
}

const when = (condition: boolean, ...codes: readonly ErrorCode[]) => (condition ? codes : []);

const hasFields = ({ request }: Endpoint) =>
  "entries" in request && Object.keys(Object(request.entries)).length > 0;
