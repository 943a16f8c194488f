import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type {
  BagAcceptanceAnswer,
  BagAcceptanceMessage,
  BookingRequestAnswer,
  BookingRequestMessage,
} from "../acceptance.ts";
import type { BagEventsMessage } from "../audit.ts";
import { type ErrorCode, STATUS_OF } from "../error-codes.ts";
import { BAG_EVENTS } from "../events.ts";
import type { AirlinePayloadFlight } from "../feeds.ts";
import * as api from "../index.ts";
import { DOCUMENT_EXAMPLES, ERROR_EXAMPLES, EXAMPLES, PATH_EXAMPLE } from "./examples.ts";
import { type Described, withDescriptions } from "./notes.ts";
import { content, HEADERS, header, openList, operations, reference, refusal } from "./operations.ts";

/** What the service sends by itself (OpenAPI 3.1, `webhooks`), generated from the table of events. */

const [attached] = EXAMPLES.events.response.events;

const EXAMPLE: BagEventsMessage = {
  type: "bag.events",
  timestamp: attached?.at ?? "",
  data: { events: EXAMPLES.events.response.events },
};

const signed = (name: string, description: string) => {
  return { name, in: "header", required: true, description, schema: { type: "string" } };
};

const events = Object.entries(BAG_EVENTS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);

const SIGNATURE = [
  signed("webhook-id", "The same whenever this message is sent"),
  signed("webhook-timestamp", "When it was sent, in seconds since 1970"),
  signed("webhook-signature", "`v1,` and HMAC-SHA-256, base64; several are separated by spaces"),
];

/** `webhooks` of the document: one message with events of every name, and two questions to an airline's host. */
export const webhooks = () => ({
  "bag.events": {
    post: {
      operationId: "bagEvents",
      tags: ["Audit"],
      summary: "Receive what happens to bags and tags of an airline",
      description: `Sent to the address that the operator has registered, as Standard Webhooks describe
(docs/listen.md). A message may come again: keep each event's \`id\` once.\n\n${events.join("\n")}`,
      security: [],
      parameters: SIGNATURE,
      requestBody: { required: true, content: content("BagEventsMessage", EXAMPLE) },
      responses: {
        "2XX": { description: "The events are safe: the next message follows." },
        410: { description: "The service stops sending." },
        default: { description: "The service sends the events again later." },
      },
    },
  },
  "bag.acceptance": asked("BagAcceptance", "Accept or refuse a bag before it gets a licence plate"),
  "booking.request": asked("BookingRequest", "Give a booking that the service does not have"),
});

/** A question, whose answer is a record. Both are signed as the events are. */
function asked(name: "BagAcceptance" | "BookingRequest", summary: string) {
  const { message, answer } = HOST_EXAMPLES[name];
  return {
    post: {
      operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      tags: ["Journeys"],
      summary,
      description: "Sent to the airline's host (docs/acceptance.md), signed as events are.",
      security: [],
      parameters: SIGNATURE,
      requestBody: { required: true, content: content(`${name}Message`, message) },
      responses: {
        200: { description: "The decision", content: content(`${name}Answer`, answer) },
        default: { description: "No answer: the airline's choice of a fallback holds." },
      },
    },
  };
}

/**
 * The contract as OpenAPI 3.1, generated from the schemas the service parses with. Made by the build, a file like any
 * other: the service does not carry what only its readers need.
 */

const isRecord = (entry: readonly [string, unknown]): entry is [string, GenericSchema] =>
  typeof entry[1] === "object" && entry[1] !== null && "kind" in entry[1] && entry[1].kind === "schema";

/** Every record of the contract under its name in the interface, which is its export name in core/api. */
const SCHEMAS = Object.fromEntries(
  Object.entries<unknown>(api)
    // Vitest lists what a module exports in another order than the language demands: the build would not be the same.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(isRecord)
    // The SDK's part of another record, which no answer is.
    .filter(([name]) => name !== "ClientConfiguration"),
);

const nameOf = new Map<unknown, string>(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

const TAGS = {
  Sessions: "Logins, refresh, the certificate a client shows to a tag.",
  Tags: "Locks, transaction tokens, custody proofs.",
  Journeys: "Bookings and bags, and the airlines' feeds of them.",
  Audit: "What happened.",
  Documents: "What the service says of itself.",
} as const;

/** The OpenAPI document; `described` holds the comments over records and properties. */
export function openApi(described: Described) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Taglatch: Electronic Bag Tag Session and Custody-Lock Service",
      version: "2",
      description:
        "Every non-2xx answer under /v2 is an ErrorResponse. Fields that are not listed are ignored. Later versions may add optional fields, events and error codes.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
      contact: { name: "The operator of this service" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...operations((schema) => nameOf.get(schema) ?? ""), ...documents() },
    webhooks: webhooks(),
    components: {
      schemas: withDescriptions(schemas(), described),
      headers: HEADERS,
      examples: errorExamples(),
      securitySchemes: {
        clientKey: {
          type: "apiKey",
          in: "header",
          name: api.HEADER.clientKey,
          description: "The client key that the operator has given out.",
        },
        accessToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The access token of a login.",
        },
        b2bSecret: {
          type: "apiKey",
          in: "header",
          name: api.HEADER.b2bSecret,
          description: "The client's shared secret.",
        },
      },
    },
  };
}

type Schema = Readonly<Record<string, unknown>>;

const schemas = () =>
  Object.fromEntries(
    Object.entries(
      toJsonSchemaDefs(SCHEMAS, {
        target: "draft-2020-12",
        typeMode: "input",
        errorMode: "ignore",
        overrideRef: ({ referenceId }) => reference(referenceId),
      }),
    ).map(([name, schema]) => [name, inJsonSchema(schema) as Schema]),
  );

/** Our own metadata in the terms of JSON Schema, and the contract's formats. */
function inJsonSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inJsonSchema);
  if (typeof part !== "object" || part === null) return part;
  const { requireOneOf, knownValues, ...rest } = part as Schema;
  if (Array.isArray(knownValues)) return openList(knownValues, rest);
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, inJsonSchema(value)])),
    ...(Array.isArray(requireOneOf) ? { anyOf: requireOneOf.map((name) => ({ required: [name] })) } : {}),
    ...(isInt32(rest) ? { format: "int32" } : {}),
    ...(rest.contentEncoding === "base64" ? { format: "byte" } : {}),
  };
}

const isInt32 = ({ type, minimum, maximum }: Schema) =>
  type === "integer" && Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31;

const errorExamples = () =>
  Object.fromEntries(
    (Object.keys(STATUS_OF) as ErrorCode[])
      .filter((code) => !Object.hasOwn(api.RESERVED, code))
      .map((code) => [code, { summary: api.ERRORS[code].message, value: ERROR_EXAMPLES[code] }]),
  );

function documents(): Record<string, unknown> {
  const get = (operationId: keyof typeof DOCUMENT_EXAMPLES, summary: string, schema: string) => ({
    get: {
      operationId,
      tags: ["Documents"],
      summary,
      description: `${summary}.`,
      security: [],
      responses: {
        200: {
          description: "Success",
          headers: { "X-Request-Id": header("RequestId") },
          content: content(schema, DOCUMENT_EXAMPLES[operationId]),
        },
        404: refusal(404, ["not_found"]),
        503: refusal(503, ["service_unavailable"]),
      },
    },
  });
  return {
    "/.well-known/jwks.json": get("accessTokenKeys", "Keys of access tokens", "JwksResponse"),
    "/.well-known/ebt-configuration": get(
      "ebtConfiguration",
      "What a client needs to know to begin",
      "EbtConfiguration",
    ),
    "/healthz": get("health", "Whether the service answers", "HealthResponse"),
  };
}

/** Questions to an airline's host and its answers, as the OpenAPI document and docs/acceptance.md show them. */

const timestamp = "2027-03-13T12:00:00.000Z";
const FLIGHT: AirlinePayloadFlight = {
  carrier: "SK",
  number: "1234",
  date: "2027-03-14",
  from: "OSL",
  to: "ARN",
};
const LOVELACE = { surname: "LOVELACE", givenName: "ADA" };

export const HOST_EXAMPLES = {
  BagAcceptance: {
    message: {
      type: "bag.acceptance",
      timestamp,
      data: {
        airline: "SK",
        recordLocator: "ABC123",
        journeyId: PATH_EXAMPLE,
        passenger: LOVELACE,
        flights: [FLIGHT],
        ...{ bag: { number: 2 }, licencePlates: ["0117123456"] },
      },
    } satisfies BagAcceptanceMessage,
    answer: {
      result: "accepted",
      licencePlate: "0117123457",
      allowed: { kilograms: 23, pieces: 2 },
    } satisfies BagAcceptanceAnswer,
  },
  BookingRequest: {
    message: {
      type: "booking.request",
      timestamp,
      data: { airline: "SK", recordLocator: "ABC123", surname: "lovelace" },
    } satisfies BookingRequestMessage,
    answer: {
      result: "found",
      booking: { airline: "SK", recordLocator: "ABC123", flights: [FLIGHT], passengers: [LOVELACE] },
    } satisfies BookingRequestAnswer,
  },
} as const;
