import { describe, expect, it } from "vitest";
import { endpoints } from "./index.ts";

/** The interface's table of operations, by number. */
const operations = [
  "/v2/auth/federated/sessions",
  "/v2/auth/nonces",
  "/v2/auth/attestation/sessions",
  "/v2/auth/guest/sessions",
  "/v2/auth/b2b-secret/sessions",
  "/v2/auth/refresh",
  "/v2/auth/device-client-certificates",
  "/v2/ebt-authorizations",
  "/v2/device-attachments",
  "/v2/ebt-lookups",
  "/v2/ebt-custody-proofs",
  "/v2/ebt-unlocks",
];

const all = Object.values(endpoints);
const numbered = (number: number) => all.find((row) => "number" in row && row.number === number);

describe("endpoints", () => {
  it.each(operations.map((path, index) => [index + 1, path] as const))("number %i is %s", (number, path) => {
    expect(numbered(number)?.path).toBe(path);
  });

  it.each([7, 8, 9, 10, 11, 12])("number %i wants a client key and an access token", (number) => {
    expect(numbered(number)?.security).toBe("bearer");
  });

  it.each([1, 5])("number %i wants a client key", (number) => {
    expect(numbered(number)?.security).toBe("client");
  });

  it("has one row per path", () => {
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
  });
});
