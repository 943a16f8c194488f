import {
  type Endpoint,
  type EndpointName,
  ERRORS,
  type ErrorCode,
  type ErrorStatus,
  endpoints,
  errorStatus,
  HEADER,
  REASON_PHRASE,
} from "../index.ts";
import { refusalsOf } from "../refusals.ts";
import { EXAMPLES, PATH_EXAMPLE } from "./examples.ts";
import { NOTES } from "./notes.ts";

/** What each endpoint does, in one line for the reference. */
export const summaries: { readonly [Name in EndpointName]: string } = {
  federatedSession: "Log in with a trusted host app's token",
  nonce: "Obtain a nonce for an attestation",
  attestationSession: "Log in as an identified app user with e-mail",
  guestSession: "Log in as a guest",
  b2bSession: "Log in as ground staff with a shared secret",
  refresh: "Exchange a refresh token for a new access token",
  logout: "End the session and its refresh tokens",
  staffCheck: "Check which member of staff uses a signed-in kiosk",
  deviceClientCertificate: "Obtain the certificate chain a client presents to a tag",
  ebtAuthorization: "Obtain a transaction token for one write or clear",
  deviceAttachment: "Attach a bag to a tag and lock the tag to its journey",
  ebtLookup: "Look up the lock of a tag",
  ebtCustodyProof: "Unlock a tag by record locator and surname",
  ebtUnlock: "Unlock a tag as the holder of its lock",
  lockRelease: "Unlock a tag of the caller's airline as ground staff",
  deviceLoss: "Mark a tag lost, or found again, as the holder of its lock or ground staff",
  foundReport: "Report a bag as found, without saying who one is",
  bagTrace: "See what was reported of a bag, as the holder of its lock",
  bagTraceChange: "Mute found reports, or share where the bag is, as the holder of its lock",
  tracedBags: "List lost and found bags of the caller's airlines, with every report",
  locationLink: "Open the holder's link to where a bag is; the holder is notified",
  journeyFromRecordLocator: "Load a booking by record locator and surname",
  journeyFromBcbp: "Load a booking by a boarding pass",
  journeysFromAirlinePayload: "Create, complete or withdraw a booking of the caller's airline",
  baggageSourceMessages: "Take baggage source messages of the caller's airline",
  baggageTag: "Add a bag to one of the caller's journeys",
  journeys: "List the caller's journeys",
  journey: "One of the caller's journeys",
  delegation: "Make a code by which another person's phone may write tags for a booking",
  delegationClaim: "Use such a code, and get the digits to compare",
  delegationDecision: "Confirm that the digits are the same, or end a delegation",
  delegations: "List the caller's delegations",
  outcomes: "Count how operations on tags ended, without any id",
  auditEvents: "Read what happened at the caller's airlines",
  events: "Follow what happens to bags and tags of the caller's airlines",
};

/** The endpoints of the table as operations of the OpenAPI document. */

/** `application/json` of the record with this name in `components`. */
export const content = (name: string, example?: object) => ({
  "application/json": { schema: { $ref: reference(name) }, ...(example === undefined ? {} : { example }) },
});

/** The path of the record with this name in the document. */
export const reference = (name: string) => `#/components/schemas/${name}`;

/** Headers of every answer, and those of refusals, as `components.headers`. */
export const HEADERS = {
  RequestId: { description: "Identifies the request, in the log too", schema: { type: "string" } },
  Bookmark: {
    description: "The state of the database that this answer has seen",
    schema: { type: "string" },
  },
  ClearSiteData: {
    description: "Asks a passenger's browser to delete its stored data",
    schema: { type: "string" },
  },
  Help: {
    description: 'What the errorCode means and what to do: `</docs/errors#CODE>; rel="help"` (RFC 8288)',
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait before the next try", schema: { type: "string" } },
  Allow: { description: "The method this path takes", schema: { type: "string" } },
  Challenge: {
    description:
      "How to authenticate (RFC 6750, RFC 9449); `use_dpop_nonce` asks for a proof with DPoP-Nonce",
    schema: { type: "string" },
  },
  DpopNonce: { description: "Nonce for the next DPoP proof (RFC 9449 §8)", schema: { type: "string" } },
  Replayed: { description: "`true`: the answer this Idempotency-Key had before", schema: { type: "string" } },
} as const;

/** A response's header by its name in `components`. */
export const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** Path → operation; `nameOf` gives the name of a record. */
export function operations(nameOf: (schema: Endpoint["request"]) => string): Record<string, unknown> {
  const rows = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return Object.fromEntries(
    rows.map(([name, endpoint]) => {
      const names = { request: nameOf(endpoint.request), response: nameOf(endpoint.response) };
      return [endpoint.path, { post: operation(name, endpoint, names) }];
    }),
  );
}

function operation(
  name: EndpointName,
  endpoint: Endpoint,
  { request, response }: { readonly request: string; readonly response: string },
) {
  const parameters = parametersOf(name, endpoint);
  return {
    operationId: name,
    tags: [tagOf(endpoint)],
    summary: endpoint.number === undefined ? summaries[name] : `${endpoint.number}. ${summaries[name]}`,
    description: descriptionOfOperation(name, endpoint),
    security: securityOf(name, endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.looseBody === "ignored" ? {} : { requestBody: bodyOf(name, endpoint, request) }),
    responses: {
      200: {
        description: "Success",
        headers: headersOfSuccess(name, endpoint),
        content: content(response, EXAMPLES[name].response),
      },
      ...refusals(name),
    },
  };
}

function descriptionOfOperation(name: EndpointName, { scopes }: Endpoint): string {
  const needs = scopes.length === 0 ? [] : [`Needs the scope \`${scopes.join("`, `")}\`.`];
  return [NOTES[name] ?? `${summaries[name]}.`, ...needs].join("\n\n");
}

/** Required where a record without fields would be refused. */
function bodyOf(name: EndpointName, { request, looseBody }: Endpoint, record: string) {
  const required = looseBody === undefined && needsFields(request);
  return { content: content(record, EXAMPLES[name].request), required };
}

function needsFields(request: Endpoint["request"]): boolean {
  const { entries = {} } = request as { readonly entries?: Readonly<Record<string, Endpoint["request"]>> };
  return Object.values(entries).some(({ type }) => type !== "exact_optional");
}

const headersOfSuccess = (name: EndpointName, { security, idempotent }: Endpoint) => ({
  "X-Request-Id": header("RequestId"),
  ...(security === "none" ? {} : { [HEADER.bookmark]: header("Bookmark") }),
  ...(idempotent ? { "Idempotent-Replayed": header("Replayed") } : {}),
  ...(name === "logout" ? { "Clear-Site-Data": header("ClearSiteData") } : {}),
});

function tagOf({ path }: Endpoint): string {
  if (path.startsWith("/v2/auth/")) return "Sessions";
  if (path.startsWith("/v2/audit") || path === "/v2/events") return "Audit";
  return path.startsWith("/v2/journeys") || path.startsWith("/v2/baggage") ? "Journeys" : "Tags";
}

function parametersOf(name: EndpointName, { path, idempotent, replica }: Endpoint) {
  const schema = { type: "string" };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => {
    const description = "The journey's id with the service";
    return { name: parameter, in: "path", required: true, description, schema, example: PATH_EXAMPLE };
  });
  const inHeader = (field: string, description: string) => {
    return { name: field, in: "header", required: false, description, schema };
  };
  const proof = inHeader(HEADER.dpop, "Proof of possession (RFC 9449)");
  const key = inHeader(HEADER.idempotencyKey, "Makes it safe to send the request again");
  const bookmark = inHeader(
    HEADER.bookmark,
    "That of an earlier answer: a copy of the database that has got as far may answer",
  );
  return [
    ...inPath,
    ...(refusalsOf(name).includes("invalid_dpop_proof") ? [proof] : []),
    ...(idempotent ? [key] : []),
    ...(replica ? [bookmark] : []),
  ];
}

/** One response per status, with every errorCode it may carry. */
function refusals(name: EndpointName): Record<string, unknown> {
  const codes = refusalsOf(name);
  const withStatus = (status: ErrorStatus) => codes.filter((code) => errorStatus(code) === status);
  const statuses = [...new Set(codes.map(errorStatus))];
  return Object.fromEntries(statuses.map((status) => [status, refusal(status, withStatus(status))]));
}

/** Text that is one of `values`, or one that a later version adds: a closed `enum` would refuse that. */
export const openList = (values: readonly unknown[], schema: object = { type: "string" }) => ({
  anyOf: [{ enum: values }, { ...schema, description: "Later versions may add values." }],
});

/** A refusal with this status, for one of these reasons. */
export function refusal(status: ErrorStatus, codes: readonly ErrorCode[]) {
  return {
    description: codes.map(descriptionOf).join("\n\n"),
    headers: { "X-Request-Id": header("RequestId"), Link: header("Help"), ...headersOf(status) },
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: reference("ErrorResponse") }],
          properties: {
            status: { const: `${status} ${REASON_PHRASE[status]}` },
            statusCode: { const: status },
            errorCode: openList(codes),
          },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function descriptionOf(code: ErrorCode): string {
  const { message, advice } = ERRORS[code];
  return `\`${code}\`: ${message} ${advice}`;
}

function headersOf(status: ErrorStatus) {
  if (status === 401) return { "WWW-Authenticate": header("Challenge"), "DPoP-Nonce": header("DpopNonce") };
  if (status === 405) return { Allow: header("Allow") };
  if (status === 429 || status === 503) return { "Retry-After": header("RetryAfter") };
  return {};
}

function securityOf(name: EndpointName, { security, withoutKey }: Endpoint) {
  if (security === "bearer") return [{ clientKey: [], accessToken: [] }];
  if (security === "none") return withoutKey === undefined ? [] : [{ clientKey: [] }, {}];
  return [name === "b2bSession" ? { clientKey: [], b2bSecret: [] } : { clientKey: [] }];
}
