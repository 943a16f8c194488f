import { expect, it } from "vitest";
import { requestText } from "./request-text.ts";

it.each([
  [
    "an answer",
    { method: "POST", route: "/v2/ebt-lookups", status: 200, milliseconds: 12, requestId: "a1" },
    "POST /v2/ebt-lookups 200 12 ms",
  ],
  [
    "a refusal with its reason",
    {
      method: "POST",
      route: "/v2/auth/refresh",
      status: 401,
      milliseconds: 3,
      errorCode: "invalid_refresh_token",
      reason: "overtaken",
    },
    "POST /v2/auth/refresh 401 3 ms invalid_refresh_token (overtaken)",
  ],
  [
    "a failure with its place",
    {
      method: "POST",
      route: "/v2/journeys",
      status: 500,
      milliseconds: 5,
      errorCode: "internal_error",
      cause: "TypeError",
      stack: ["    at a.ts:1"],
    },
    "POST /v2/journeys 500 5 ms internal_error\nTypeError\n    at a.ts:1",
  ],
])("shows %s as one short line", (_what, line, text) => {
  expect(requestText(JSON.stringify(line))).toBe(text);
});

it("leaves alone what is not a line of the service", () => {
  expect(requestText("workerd: something")).toBe("workerd: something");
  expect(requestText('{"other":1}')).toBe('{"other":1}');
});
