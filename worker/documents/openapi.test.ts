import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../core/api/index.ts";
import { startService, type TestService } from "../test-support/service.ts";

/** Every resource of the interface, by its heading there. */
const RESOURCES = [
  "FederatedLoginRequest",
  "LoginResponse",
  "NonceResponse",
  "AttestationLoginRequest",
  "GuestLoginRequest",
  "B2BSecretLoginRequest",
  "RefreshTokenRequest",
  "DeviceClientCertificateResponse",
  "EbtAuthorizationRequest",
  "EbtAuthorizationResponse",
  "DeviceAttachmentRequest",
  "DeviceModel",
  "EbtLockLookupRequest",
  "EbtLockLookupResponse",
  "EbtLockHints",
  "EbtCustodyProofRequest",
  "EbtUnlockRequest",
  "ErrorResponse",
];

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: the document is read as a tree
let document: any;
beforeAll(async () => {
  service = await startService();
  document = (await service.fetch("/openapi.json")).body;
});

describe("the OpenAPI document", () => {
  it("is of version 3.1", () => expect(document.openapi).toBe("3.1.0"));

  it.each(RESOURCES)("has the schema %s", (name) => {
    expect(document.components.schemas[name]).toMatchObject({
      type: "object",
      properties: expect.any(Object),
    });
  });

  it("says which fields are mandatory", () => {
    const { schemas } = document.components;
    expect(schemas.EbtAuthorizationRequest.required).toEqual(["uniqueDeviceId", "nonce"]);
    expect(schemas.DeviceModel.required ?? []).toEqual([]);
    expect(schemas.DeviceAttachmentRequest.properties.device).toEqual({
      $ref: "#/components/schemas/DeviceModel",
    });
    expect(schemas.DeviceAttachmentRequest.properties.baggageId).toMatchObject({
      type: "integer",
      minimum: 1,
    });
  });

  it.each(Object.entries(endpoints))(
    "has %s with its request, its answer and its errors",
    (name, { path }) => {
      const { operationId, responses } = document.paths[path].post;
      expect(operationId).toBe(name);
      expect(responses.default.content["application/json"].schema.$ref).toBe(
        "#/components/schemas/ErrorResponse",
      );
    },
  );

  it("refers to nothing it does not have", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(
      ([, reference]) => reference,
    );
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => !known.includes(reference ?? ""))).toEqual([]);
  });
});
