import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { endpoints, limits } from "../../core/api/index.ts";
import { API_PATH, SERVICE_PATHS } from "../../core/api/paths.ts";
import { rateLimitBindings } from "../deploy/wrangler-config.ts";
import { ROOT } from "../project-files.ts";

/** Of the page, but under the airline's name. */
const MANIFEST = "/manifest.webmanifest";

test("wrangler.toml sends the service's paths to the Worker, and the manifest", () => {
  const { assets } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const paths = [assets?.run_worker_first].flat().map((path) => String(path).replace(/\/\*$/, ""));
  expect(new Set(paths)).toEqual(new Set([...SERVICE_PATHS, MANIFEST]));
});

test("every endpoint is below the path of the interface", () => {
  for (const { path } of Object.values(endpoints)) expect(path.startsWith(`${API_PATH}/`)).toBe(true);
});

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
