import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { WORKER_CONFIG } from "../build/build.ts";
import type { Environment } from "./environment-names.ts";
import { wranglerConfig } from "./wrangler-config.ts";

/** What an environment says for itself. Everything else is the top level's. */
export const OWN = [
  "name",
  "workers_dev",
  "routes",
  "vars",
  "d1_databases",
  "r2_buckets",
  "ratelimits",
  "analytics_engine_datasets",
] as const;

/**
 * Writes the configuration by which the Worker that is built goes to `environment`, beside it; returns its path. So staging
 * and production get the same bytes, and no build of an environment lies where `wrangler dev` looks.
 */
export function writeUploadConfig(environment: Environment): string {
  const built = JSON.parse(readFileSync(WORKER_CONFIG, "utf8")) as Record<string, unknown>;
  const config = wranglerConfig(environment);
  const own = Object.fromEntries(OWN.map((key) => [key, config[key]]));
  const path = join(dirname(WORKER_CONFIG), `wrangler.${environment}.json`);
  writeFileSync(path, JSON.stringify({ ...built, ...own }));
  return path;
}
