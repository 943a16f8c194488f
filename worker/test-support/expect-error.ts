import { expect } from "vitest";
import { type ErrorCode, errorStatus, REASON_PHRASE } from "../../core/api/index.ts";
import type { Answer } from "./service.ts";

/** Asserts that `answer` is the ErrorResponse of `code`, whole. */
export function expectError(answer: Answer, code: ErrorCode): void {
  const status = errorStatus(code);
  expect({ status: answer.status, ...answer.body }).toEqual({
    status: `${status} ${REASON_PHRASE[status]}`,
    statusCode: status,
    message: expect.stringMatching(/\S/),
    errorCode: code,
    errors: expect.any(Array),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{16}$/);
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
}
