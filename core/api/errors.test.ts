import { describe, expect, it } from "vitest";
import { errorResponse, isErrorCode } from "./index.ts";

describe("errorResponse", () => {
  it("knows its codes from what a proxy may have answered", () => {
    expect(isErrorCode("not_found")).toBe(true);
    for (const other of ["", "NOT_FOUND", "toString", "constructor", "__proto__"])
      expect(isErrorCode(other)).toBe(false);
  });

  it("carries message and details", () => {
    expect(errorResponse("invalid_request", { message: "m", errors: ["a", "b"] })).toEqual({
      ...{ status: "400 BAD_REQUEST", statusCode: 400, errorCode: "invalid_request" },
      ...{ message: "m", errors: ["a", "b"] },
    });
  });
});
