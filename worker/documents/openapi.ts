import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as api from "../../core/api/index.ts";
import { content, HEADERS, operations, reference } from "./operations.ts";

/** The contract as OpenAPI 3.1, generated from the schemas the service parses with. */

/** Every record of the contract under its name in the interface. */
const SCHEMAS = {
  AuditEventsRequest: api.AuditEventsRequest,
  AuditEvent: api.AuditEvent,
  AuditEventsResponse: api.AuditEventsResponse,
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
  FailedCustodyProofs: api.FailedCustodyProofs,
  EbtLockLookupResponse: api.EbtLockLookupResponse,
  EbtCustodyProofRequest: api.EbtCustodyProofRequest,
  EbtUnlockRequest: api.EbtUnlockRequest,
  EbtUnlockResponse: api.EbtUnlockResponse,
  LockReleaseRequest: api.LockReleaseRequest,
  DeviceLossRequest: api.DeviceLossRequest,
  DeviceLossResponse: api.DeviceLossResponse,
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
