import { type WranglerConfig, wranglerConfig } from "../deploy/wrangler-config.ts";

/** The rate-limit bindings of wrangler.toml, as Miniflare takes them. */
export type RateLimitBinding = Omit<WranglerConfig["ratelimits"][number], "name">;

/** By the name under which the Worker finds them. */
export function rateLimitBindings(): Record<string, RateLimitBinding> {
  return Object.fromEntries(
    wranglerConfig().ratelimits.map(({ name, namespace_id, simple }) => [name, { namespace_id, simple }]),
  );
}
