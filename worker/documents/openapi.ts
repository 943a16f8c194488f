import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import * as api from "../../core/api/index.ts";
import { content, HEADERS, operations, reference } from "./operations.ts";

/** The contract as OpenAPI 3.1, generated from the schemas the service parses with. */

const isRecord = (entry: readonly [string, unknown]): entry is [string, GenericSchema] =>
  typeof entry[1] === "object" && entry[1] !== null && "kind" in entry[1] && entry[1].kind === "schema";

/** Every record of the contract under its name in the interface, which is its export name in core/api. */
const SCHEMAS = Object.fromEntries(Object.entries<unknown>(api).filter(isRecord));

const nameOf = new Map<unknown, string>(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

/** The OpenAPI document. */
export function openApi() {
  return {
    openapi: "3.1.0",
    info: {
      title: "Taglatch: Electronic Bag Tag Session and Custody-Lock Service",
      version: "2",
      description:
        "Every non-2xx answer under /v2 is an ErrorResponse. Fields that are not listed are ignored.",
    },
    servers: [{ url: "/" }],
    paths: { ...operations((schema) => nameOf.get(schema) ?? ""), ...documents() },
    components: {
      schemas: toJsonSchemaDefs(SCHEMAS, {
        target: "draft-2020-12",
        typeMode: "input",
        errorMode: "ignore",
        overrideRef: ({ referenceId }) => reference(referenceId),
      }),
      headers: HEADERS,
      securitySchemes: {
        clientKey: { type: "apiKey", in: "header", name: api.HEADER.clientKey },
        accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        b2bSecret: { type: "apiKey", in: "header", name: api.HEADER.b2bSecret },
      },
    },
  };
}

function documents(): Record<string, unknown> {
  const get = (summary: string, schema: string) => ({
    get: {
      tags: ["Documents"],
      summary,
      security: [],
      responses: {
        200: { description: "Success", content: content(schema) },
        default: { description: "Any failure", content: content("ErrorResponse") },
      },
    },
  });
  return {
    "/.well-known/jwks.json": get("Keys of access tokens", "JwksResponse"),
    "/.well-known/ebt-configuration": get("What a client needs to know to begin", "EbtConfiguration"),
    "/healthz": get("Whether the service answers", "HealthResponse"),
  };
}
