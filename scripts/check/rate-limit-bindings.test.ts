import { expect, test } from "vitest";
import { limits } from "../../core/api/index.ts";
import { rateLimitBindings } from "./rate-limit-bindings.ts";

test("wrangler.toml counts with the numbers of the limits table, each counter for itself", () => {
  const bindings = rateLimitBindings();
  const perMinute = Object.fromEntries(
    Object.entries(bindings).map(([name, { simple }]) => [name, (simple.limit * 60) / simple.period]),
  );
  expect(perMinute).toEqual({
    LOOKUP_LIMIT: limits.lookupsPerSubjectPerMinute,
    NONCE_LIMIT: limits.noncesPerNetworkPerMinute,
    LOGIN_LIMIT: limits.loginsPerNetworkPerMinute,
    FEED_LIMIT: limits.feedsPerSubjectPerMinute,
    READ_LIMIT: limits.readsPerSubjectPerMinute,
    WRITE_LIMIT: limits.writesPerSubjectPerMinute,
    HALL_LIMIT: limits.writesPerNetworkPerMinute,
    HOLDER_LIMIT: limits.writesPerNetworkPerMinute,
  });
  expect(new Set(Object.values(bindings).map(({ namespace_id }) => namespace_id)).size).toBe(8);
});
