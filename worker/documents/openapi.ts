import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as api from "../../core/api/index.ts";

/** The contract as OpenAPI 3.1, generated from the schemas the service parses with. */

/** Every record of the contract under its name in the interface. */
const SCHEMAS = {
  FederatedLoginRequest: api.FederatedLoginRequest,
  LoginResponse: api.LoginResponse,
  NonceResponse: api.NonceResponse,
  AttestationLoginRequest: api.AttestationLoginRequest,
  GuestLoginRequest: api.GuestLoginRequest,
  B2BSecretLoginRequest: api.B2BSecretLoginRequest,
  RefreshTokenRequest: api.RefreshTokenRequest,
  LogoutResponse: api.LogoutResponse,
  EmptyRequest: api.EmptyRequest,
  DeviceClientCertificateResponse: api.DeviceClientCertificateResponse,
  EbtAuthorizationRequest: api.EbtAuthorizationRequest,
  EbtAuthorizationResponse: api.EbtAuthorizationResponse,
  DeviceModel: api.DeviceModel,
  DeviceAttachmentRequest: api.DeviceAttachmentRequest,
  DeviceAttachmentResponse: api.DeviceAttachmentResponse,
  EbtLockLookupRequest: api.EbtLockLookupRequest,
  EbtLockHints: api.EbtLockHints,
  EbtLockLookupResponse: api.EbtLockLookupResponse,
  EbtCustodyProofRequest: api.EbtCustodyProofRequest,
  EbtUnlockRequest: api.EbtUnlockRequest,
  EbtUnlockResponse: api.EbtUnlockResponse,
  JourneyPassenger: api.JourneyPassenger,
  JourneyFlight: api.JourneyFlight,
  JourneyBag: api.JourneyBag,
  Journey: api.Journey,
  JourneyFromRecordLocatorRequest: api.JourneyFromRecordLocatorRequest,
  JourneyFromBcbpRequest: api.JourneyFromBcbpRequest,
  BaggageTagRequest: api.BaggageTagRequest,
  AirlinePayloadFlight: api.AirlinePayloadFlight,
  AirlinePayloadBag: api.AirlinePayloadBag,
  AirlinePayloadPassenger: api.AirlinePayloadPassenger,
  JourneysFromAirlinePayloadRequest: api.JourneysFromAirlinePayloadRequest,
  BaggageSourceMessagesRequest: api.BaggageSourceMessagesRequest,
  BaggageMessageResult: api.BaggageMessageResult,
  BaggageSourceMessagesResponse: api.BaggageSourceMessagesResponse,
  JourneyWithCompanions: api.JourneyWithCompanions,
  JourneyListResponse: api.JourneyListResponse,
  PublicJwk: api.PublicJwk,
  JwksResponse: api.JwksResponse,
  EbtConfiguration: api.EbtConfiguration,
  HealthResponse: api.HealthResponse,
  ErrorResponse: api.ErrorResponse,
};

const nameOf = new Map<unknown, string>(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

const reference = (name: string) => `#/components/schemas/${name}`;

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
    paths: { ...operations(), ...documents() },
    components: {
      schemas: toJsonSchemaDefs(SCHEMAS, {
        target: "draft-2020-12",
        typeMode: "input",
        errorMode: "ignore",
        overrideRef: ({ referenceId }) => reference(referenceId),
      }),
      securitySchemes: {
        clientKey: { type: "apiKey", in: "header", name: api.HEADER.clientKey },
        accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        b2bSecret: { type: "apiKey", in: "header", name: api.HEADER.b2bSecret },
      },
    },
  };
}

const content = (name: string) => ({ "application/json": { schema: { $ref: reference(name) } } });

function operations(): Record<string, unknown> {
  const rows = Object.entries(api.endpoints) as [string, api.Endpoint][];
  return Object.fromEntries(
    rows.map(([name, endpoint]) => [endpoint.path, { post: operation(name, endpoint) }]),
  );
}

function operation(name: string, endpoint: api.Endpoint) {
  const parameters = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => {
    return { name: parameter, in: "path", required: true, schema: { type: "string" } };
  });
  const body = { content: content(nameOf.get(endpoint.request) ?? ""), required: false };
  return {
    operationId: name,
    summary: endpoint.summary,
    security: securityOf(name, endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.ignoresBody ? {} : { requestBody: body }),
    responses: {
      200: { description: "Success", content: content(nameOf.get(endpoint.response) ?? "") },
      default: { description: "Any failure", content: content("ErrorResponse") },
    },
  };
}

function securityOf(name: string, { security, scopes }: api.Endpoint) {
  if (security === "bearer") return [{ clientKey: [], accessToken: [...scopes] }];
  if (security === "none") return [];
  return [name === "b2bSession" ? { clientKey: [], b2bSecret: [] } : { clientKey: [] }];
}

function documents(): Record<string, unknown> {
  const get = (summary: string, schema: string) => ({
    get: { summary, security: [], responses: { 200: { description: "Success", content: content(schema) } } },
  });
  return {
    "/.well-known/jwks.json": get("Keys of access tokens", "JwksResponse"),
    "/.well-known/ebt-configuration": get("What a client needs to know to begin", "EbtConfiguration"),
    "/healthz": get("Whether the service answers", "HealthResponse"),
  };
}
