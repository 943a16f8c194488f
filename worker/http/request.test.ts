import { expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { errorAnswer } from "./error-answer.ts";
import { carrierOf, networkOf } from "./request.ts";

it.each([
  ["192.0.2.17", "192.0.2"],
  ["192.0.2.200", "192.0.2"],
  ["::ffff:192.0.2.17", "192.0.2"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1"],
  ["2001:0DB8:0001::6", "2001:db8:1"],
  ["2001:db8::1", "2001:db8:0"],
  ["::1", "0:0:0"],
  ["", ""],
])("networkOf takes %s for the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ["192.0.2.17", undefined],
  ["::ffff:192.0.2.17", undefined],
  ["2001:0DB8:1:2:3:4:5:6", "2001:db8"],
  ["2001:db8::1", "2001:db8"],
  ["::1", "0:0"],
  ["", undefined],
])("carrierOf takes %s for the range %s", (address, carrier) => {
  expect(carrierOf(address)).toBe(carrier);
});

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
