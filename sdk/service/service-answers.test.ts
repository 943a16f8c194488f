import { describe, expect, test, vi } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { fromBase64Url, fromUtf8 } from "../../core/encoding/bytes.ts";
import { Database } from "../database.ts";
import { ServiceError, type ServiceErrorCode } from "../errors.ts";
import { signJws } from "./http.ts";
import { isLost, refusalIn, waitBefore } from "./service-answers.ts";
import { loadAppKey } from "./session.ts";

const answered = (status: number, headers: Record<string, string> = {}) =>
  new Response("", { status, headers });
const OURS = {
  status: "LOCKED",
  statusCode: 423,
  errorCode: "device_locked",
  message: "locked",
  errors: ["a", "b"],
};

describe("an answer that is no success", () => {
  test("is the service's own refusal, with all that is known of it", () => {
    const headers = { [HEADER.requestId]: "r-1", "Retry-After": "1.5" };
    expect(refusalIn(answered(423, headers), OURS)).toMatchObject({
      code: "device_locked",
      message: "locked",
      statusCode: 423,
      requestId: "r-1",
      retryAfter: 1.5,
      errors: ["a", "b"],
      afterLostAnswer: false,
    });
  });

  test("says nothing where nothing is known", () => {
    const error = refusalIn(answered(403), undefined);
    expect([error.requestId, error.retryAfter, error.errors]).toEqual([undefined, undefined, []]);
    expect(
      refusalIn(answered(403, { "Retry-After": "Sat, 21 Nov 2026 12:00:00 GMT" }), OURS).retryAfter,
    ).toBe(undefined);
  });

  test("keeps the message of a code that only a later version knows, once and without another try", () => {
    const error = refusalIn(answered(409), { ...OURS, statusCode: 409, errorCode: "of_a_later_version" });
    expect(error).toMatchObject({ code: "invalid_answer", message: "locked", errors: ["a", "b"] });
    expect(waitBefore(error, 300)).toBeUndefined();
  });

  test.each<[number, unknown, ServiceErrorCode]>([
    [429, undefined, "too_many_requests"],
    [499, undefined, "invalid_answer"],
    [500, undefined, "service_unavailable"],
    [502, { ...OURS, errorCode: "unknown_code" }, "service_unavailable"],
    [403, { errorCode: "device_locked" }, "invalid_answer"],
    [403, OURS, "invalid_answer"],
    [503, OURS, "service_unavailable"],
  ])("%i with %o is %s", (status, json, code) => {
    expect(refusalIn(answered(status), json).code).toBe(code);
  });
});

test.each<[ServiceErrorCode, number | undefined, boolean]>([
  ["network", undefined, true],
  ["service_timeout", undefined, true],
  ["invalid_answer", 200, true],
  ["internal_error", 500, true],
  ["device_locked", 499, false],
  ["device_locked", undefined, false],
])("after %s (%s) the answer was lost: %s", (code, statusCode, lost) => {
  expect(isLost(new ServiceError(code, "any", { statusCode }))).toBe(lost);
});

describe("before the next try", () => {
  test.each<[ServiceErrorCode, number | undefined, number | undefined]>([
    ["network", undefined, 750],
    ["service_timeout", undefined, 750],
    ["service_unavailable", undefined, 750],
    ["idempotency_in_flight", undefined, 750],
    ["service_unavailable", 0, 0],
    ["service_unavailable", 2, 2_000],
    ["service_unavailable", 2.5, undefined],
    ["internal_error", undefined, undefined],
    ["device_locked", 1, undefined],
  ])("after %s with Retry-After %s come %s ms", (code, retryAfter, wait) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(waitBefore(new ServiceError(code, "any", { retryAfter }), 1_000)).toBe(wait);
    vi.restoreAllMocks();
  });

  test("comes a quarter more or less, so that not everybody comes at once", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect(waitBefore(new ServiceError("network", "any"), 1_000)).toBe(1_250);
    expect(waitBefore(new ServiceError("network", "any"))).toBe(0);
    vi.restoreAllMocks();
  });
});

test("the key is made once and then the same, its private half not extractable", async () => {
  const generate = vi.spyOn(crypto.subtle, "generateKey");
  const database = new Database("app-key");
  const key = await loadAppKey(database);
  expect(await loadAppKey(new Database("app-key"))).toMatchObject({ thumbprint: key.thumbprint });
  expect(generate).toHaveBeenCalledTimes(1);
  expect(key.privateKey).toMatchObject({ extractable: false, usages: ["sign"] });
  vi.restoreAllMocks();
});

test("what is signed names its kind, its algorithm and the public key", async () => {
  const key = await loadAppKey(new Database("app-key-header"));
  const [header = "", claims = ""] = (await signJws(key, "kind+jwt", { iat: 1 })).split(".");
  const read = (part: string) => JSON.parse(fromUtf8(fromBase64Url(part)));
  expect(read(header)).toEqual({ alg: "ES256", typ: "kind+jwt", jwk: key.jwk });
  expect(read(claims)).toEqual({ iat: 1 });
});
