import { type Schema, Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import {
  type EndpointName,
  ERRORS,
  type ErrorCode,
  endpoints,
  errorResponse,
  errorStatus,
  RESERVED,
  STATUS_OF,
} from "../../core/api/index.ts";
import { openApi } from "../../core/api/openapi/document.ts";
import { refusalsOf } from "../../core/api/refusals.ts";

/** What the contract writes as `integer int32`, and as `string, format byte`. */
const FORMATS = {
  int32: [
    ...["LoginResponse.expiresIn", "LoginResponse.refreshExpiresIn", "NonceResponse.ttlSeconds"],
    ...["DeviceAttachmentRequest.baggageId", "DeviceModel.batteryPercentage"],
  ],
  byte: ["DeviceClientCertificateResponse.certificateChain"],
};

const names = Object.keys(endpoints) as EndpointName[];

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON; the tests say what they expect of it
const document: any = openApi({});
const operationAt = (path: string) => document.paths[path]?.post;

describe("the OpenAPI document", () => {
  it("lists the mandatory fields", () => {
    const { schemas } = document.components;
    expect(schemas.EbtAuthorizationRequest?.required).toEqual(["uniqueDeviceId", "nonce"]);
    expect(schemas.DeviceModel?.required ?? []).toEqual([]);
    expect(schemas.DeviceAttachmentRequest?.properties?.device).toEqual({
      $ref: "#/components/schemas/DeviceModel",
    });
    expect(schemas.DeviceAttachmentRequest?.properties?.baggageId).toMatchObject({
      type: "integer",
      minimum: 1,
    });
  });

  it.each(Object.entries(FORMATS))("writes the format %s where the contract does", (format, fields) => {
    for (const [schema = "", field = ""] of fields.map((name) => name.split(".")))
      expect(document.components.schemas[schema]?.properties?.[field]).toMatchObject({ format });
    expect(document.components.schemas.ErrorResponse?.properties?.statusCode).toEqual({ type: "integer" });
  });

  it("states that later versions may add codes", () => {
    const { errorCode } = document.components.schemas.ErrorResponse?.properties ?? {};
    expect(errorCode).toEqual({
      anyOf: [
        { enum: Object.keys(STATUS_OF) },
        { type: "string", description: "Later versions may add values." },
      ],
    });
    const later = { ...errorResponse("not_found"), errorCode: "of_a_later_version" };
    const { components } = openApi({});
    const schema = { ...components.schemas.ErrorResponse, components } as Schema;
    expect(new Validator(schema, "2020-12").validate(later).valid).toBe(true);
  });

  it.each(names)("has %s with its request, its answer and its errors", (name) => {
    const { operationId, responses } = operationAt(endpoints[name].path);
    expect(operationId).toBe(name);
    const codes: ErrorCode[] = Object.keys(responses).flatMap((status) => {
      if (status === "200") return [];
      const { statusCode, errorCode } = responses[status].content["application/json"].schema.properties;
      expect(statusCode.const).toBe(Number(status));
      expect(errorCode.anyOf[1]).toEqual({ type: "string", description: expect.any(String) });
      return errorCode.anyOf[0].enum;
    });
    expect(new Set(codes)).toEqual(new Set(refusalsOf(name)));
    for (const code of codes) expect(Object.keys(responses)).toContain(String(errorStatus(code)));
  });

  it("lists every code of the error table somewhere", () => {
    const listed = new Set(names.flatMap(refusalsOf));
    // An unknown path, and what no endpoint answers (see the table).
    const elsewhere = [...Object.keys(RESERVED), "not_found"];
    const unlisted = Object.keys(ERRORS).filter((code) => !listed.has(code as ErrorCode));
    expect(unlisted.toSorted()).toEqual(elsewhere);
  });

  it("states at endpoints 7 and 8 what our tags require", () => {
    const description = (path: string) => operationAt(path)?.description;
    expect(description(endpoints.deviceClientCertificate.path)).toMatch(/v2\.1[\s\S]*bound to a key/);
    expect(description(endpoints.ebtAuthorization.path)).toMatch(
      /v2\.0 tag[\s\S]*payloadDigest[\s\S]*v2\.1 tag/,
    );
  });
});
