import { env } from "cloudflare:workers";
import { utf8 } from "../../core/encoding/bytes.ts";
import { createApp } from "../app.ts";
import { createHostKeys, hostKeyRules } from "../auth/host-keys.ts";
import { UNLIMITED } from "../auth/rate-limits.ts";
import { BASE, type TestService } from "./service.ts";

export type Post = (path: string, body: object, headers: Record<string, string>) => Promise<Response>;

/**
 * The service without the checks that the other tests make of every answer: for tests that send a hundred thousand
 * requests or measure time. `db` may stand between the service and its database.
 */
export function barePost(
  { settings, now }: Pick<TestService, "settings" | "now">,
  db: D1Database = env.DB,
): Post {
  const fetcher = () => Promise.reject(new TypeError("no hosts here"));
  const app = createApp({
    db,
    settings,
    clock: now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    wait: async () => undefined,
    hostKeys: createHostKeys({ fetcher, ...hostKeyRules(settings) }),
    fetcher,
    assets: undefined,
    rateLimits: UNLIMITED,
    metrics: undefined,
    outcomeCounts: undefined,
    log: () => undefined,
  });
  return async (path, body, headers) =>
    app.fetch(new Request(BASE + path, { method: "POST", headers, body: utf8(JSON.stringify(body)) }), {
      waitUntil: () => undefined,
    });
}
