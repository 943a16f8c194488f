import { describe, expect, it } from "vitest";
import { type Endpoint, endpoints, errorResponse, isErrorCode } from "./index.ts";

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

  it("behind an access token want one scope each, but to log out and to say which member of staff one is", () => {
    const wanting = all.filter(({ security }) => security === "bearer");
    expect(wanting.filter(({ scopes }) => scopes.length !== 1).map(({ path }) => path)).toEqual([
      "/v2/auth/logout",
      "/v2/auth/staff-checks",
    ]);
  });

  // rules §3 and §4, by hand.
  it.each([
    ["tag:read", ["/v2/ebt-lookups"]],
    [
      "tag:write",
      [
        "/v2/auth/device-client-certificates",
        "/v2/ebt-authorizations",
        "/v2/device-attachments",
        "/v2/device-losses",
        "/v2/bag-traces",
        "/v2/bag-traces/changes",
      ],
    ],
    ["tag:unlock", ["/v2/ebt-custody-proofs", "/v2/ebt-unlocks"]],
    ["tag:release", ["/v2/lock-releases"]],
    [
      "journey:read",
      [
        "/v2/journeys/from-record-locator",
        "/v2/journeys/from-bcbp",
        "/v2/journeys",
        "/v2/journeys/{journeyId}",
      ],
    ],
    ["journey:write", ["/v2/journeys/from-airline-payload", "/v2/baggage-source-messages"]],
    ["journey:bag", ["/v2/journeys/{journeyId}/baggage-tags"]],
    ["audit:read", ["/v2/audit-events", "/v2/events"]],
    ["bag:trace", ["/v2/traced-bags", "/v2/location-links"]],
  ])("want %s for each of these: %j", (scope, paths) => {
    const wanting = all.filter(({ path }) => paths.includes(path));
    expect(wanting.map(({ scopes }) => scopes)).toEqual(paths.map(() => [scope]));
  });

  it("report no times where a time would reveal a secret: logins, PINs, proofs, found reports and journey look-ups (rules §1)", () => {
    expect(all.filter((row) => "oracle" in row).map(({ path }) => path)).toEqual([
      ...operations.slice(0, 1),
      ...operations.slice(2, 6),
      "/v2/auth/staff-checks",
      "/v2/ebt-custody-proofs",
      "/v2/lock-releases",
      "/v2/found-reports",
      "/v2/journeys/from-record-locator",
      "/v2/journeys/from-bcbp",
      "/v2/delegations/claims",
    ]);
  });

  it("behind an access token are counted, and write at the price of a write (rules §2)", () => {
    const bearers = (Object.values(endpoints) as readonly Endpoint[]).filter(
      ({ security }) => security === "bearer",
    );
    const reading = [
      ...["/v2/ebt-lookups", "/v2/journeys", "/v2/journeys/{journeyId}", "/v2/delegations/list"],
      ...["/v2/audit-events", "/v2/events", "/v2/bag-traces", "/v2/traced-bags"],
    ];
    // A certificate for the same key again; what is loaded again, or a wrong guess, records its proof itself.
    const repeatable = [
      "/v2/auth/device-client-certificates",
      "/v2/journeys/from-record-locator",
      "/v2/journeys/from-bcbp",
    ];
    const unrecorded = bearers.filter(({ replayable }) => replayable).map(({ path }) => path);
    expect(unrecorded.toSorted()).toEqual([...reading, ...repeatable].sort());
    for (const { path, subjectRate } of bearers) {
      const rates = reading.includes(path) ? /^(lookup|read)$/ : /^(write|feed)$/;
      expect([path, subjectRate]).toEqual([path, expect.stringMatching(rates)]);
    }
  });

  it("has one row per path", () => {
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
  });
});

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
