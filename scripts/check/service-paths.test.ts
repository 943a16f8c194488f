import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { endpoints } from "../../core/api/index.ts";
import { API_PATH, SERVICE_PATHS } from "../../core/api/paths.ts";
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
