import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../project-files.ts";
import type { Environment } from "./environment-names.ts";

/** What this project reads of wrangler.toml. */
export interface WranglerConfig {
  readonly name: string;
  readonly workers_dev?: boolean;
  readonly routes?: readonly { readonly pattern: string; readonly custom_domain?: boolean }[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly triggers: { readonly crons?: readonly string[] };
  readonly d1_databases: readonly {
    readonly binding: string;
    readonly database_name: string;
    readonly database_id: string;
    readonly migrations_dir: string;
  }[];
  readonly r2_buckets: readonly {
    readonly binding: string;
    readonly bucket_name?: string;
    readonly jurisdiction?: string;
  }[];
  readonly ratelimits: readonly {
    readonly name: string;
    readonly namespace_id: string;
    readonly simple: { readonly limit: number; readonly period: 10 | 60 };
  }[];
  readonly analytics_engine_datasets: readonly { readonly binding: string }[];
}

/** wrangler.toml as wrangler reads it for an environment, or for its top level. */
export const wranglerConfig = (environment?: Environment): WranglerConfig =>
  unstable_readConfig({
    config: join(ROOT, "wrangler.toml"),
    ...(environment === undefined ? {} : { env: environment }),
  }) as unknown as WranglerConfig;

/** The rate-limit bindings of wrangler.toml, as Miniflare takes them. */
export type RateLimitBinding = Omit<WranglerConfig["ratelimits"][number], "name">;

/** By the name under which the Worker finds them. */
export function rateLimitBindings(): Record<string, RateLimitBinding> {
  return Object.fromEntries(
    wranglerConfig().ratelimits.map(({ name, namespace_id, simple }) => [name, { namespace_id, simple }]),
  );
}
