/** The rate-limit bindings of wrangler.toml, as Miniflare takes them. */
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../project-files.ts";

export interface RateLimitBinding {
  readonly namespace_id: string;
  readonly simple: { readonly limit: number; readonly period: 10 | 60 };
}

/** By the name under which the Worker finds them. */
export function rateLimitBindings(): Record<string, RateLimitBinding> {
  const { ratelimits } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") }) as {
    readonly ratelimits: readonly ({ readonly name: string } & RateLimitBinding)[];
  };
  return Object.fromEntries(
    ratelimits.map(({ name, namespace_id, simple }) => [name, { namespace_id, simple }]),
  );
}
