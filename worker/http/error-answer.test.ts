import { expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { errorAnswer } from "./error-answer.ts";

const headersOf = (error: unknown) => Object.fromEntries(errorAnswer(error).headers);

it("leads to the page about the code, and a refusal's reason changes no header", () => {
  const headers = headersOf(new ApiError("journey_not_found", { reason: "no such booking" }));
  expect(headers.link).toBe('</docs/errors#journey_not_found>; rel="help"');
  expect(headersOf(new ApiError("journey_not_found", { reason: "another surname", isKnown: true }))).toEqual(
    headers,
  );
});

it("says of a fault of its own no more than its code", () => {
  expect(headersOf(new TypeError("secret")).link).toBe('</docs/errors#internal_error>; rel="help"');
});
