import { describe, expect, it } from "vitest";
import { ERRORS, type ErrorCode, errorResponse, errorStatus, isErrorCode } from "./index.ts";

/** Written out from the table of rules §1, not from the code. */
const table: readonly [string, readonly ErrorCode[]][] = [
  [
    "400 BAD_REQUEST",
    ["required_info_not_provided", "invalid_request", "invalid_bcbp_format", "invalid_bsm_format"],
  ],
  [
    "401 UNAUTHORIZED",
    [
      "unauthorized_client",
      "unauthorized_token",
      "invalid_federated_token",
      "invalid_nonce",
      "invalid_attestation",
      "invalid_credentials",
      "invalid_refresh_token",
      "invalid_dpop_proof",
    ],
  ],
  ["403 FORBIDDEN", ["insufficient_scope", "not_lock_holder", "custody_proof_required", "device_lost"]],
  [
    "404 NOT_FOUND",
    ["baggage_not_found", "journey_not_found", "device_not_found", "delegation_ended", "not_found"],
  ],
  ["405 METHOD_NOT_ALLOWED", ["method_not_allowed"]],
  [
    "409 CONFLICT",
    [
      "device_locked",
      "gatt_version_refused",
      "idempotency_in_flight",
      "bag_limit",
      "stale_statement",
      "stale_attachment",
    ],
  ],
  ["413 PAYLOAD_TOO_LARGE", ["payload_too_large"]],
  ["415 UNSUPPORTED_MEDIA_TYPE", ["unsupported_media_type"]],
  ["422 UNPROCESSABLE_ENTITY", ["custody_proof_invalid", "payload_mismatch", "idempotency_key_reused"]],
  ["429 TOO_MANY_REQUESTS", ["too_many_attempts", "too_many_requests"]],
  ["500 INTERNAL_SERVER_ERROR", ["internal_error"]],
  ["503 SERVICE_UNAVAILABLE", ["service_unavailable"]],
];

describe("errorResponse", () => {
  it.each(table.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)))(
    "answers %s with %s",
    (code, status) => {
      expect(errorResponse(code)).toMatchObject({
        status,
        statusCode: Number.parseInt(status, 10),
        errorCode: code,
        errors: [],
      });
      expect(errorStatus(code)).toBe(Number.parseInt(status, 10));
    },
  );

  it("knows no code beyond the table", () => {
    expect(Object.keys(ERRORS).sort()).toEqual(table.flatMap(([, codes]) => codes).sort());
  });

  it("knows its codes from what a proxy may have answered", () => {
    expect(isErrorCode("not_found")).toBe(true);
    for (const other of ["", "NOT_FOUND", "toString", "constructor", "__proto__"])
      expect(isErrorCode(other)).toBe(false);
  });

  it("carries message and details", () => {
    expect(errorResponse("invalid_request", { message: "m", errors: ["a", "b"] })).toMatchObject({
      message: "m",
      errors: ["a", "b"],
    });
  });
});
