import { env } from "cloudflare:workers";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { utf8 } from "../../core/bytes.ts";
import { createApp } from "../app.ts";
import { UNLIMITED } from "../rate-limits.ts";
import type { TestSession } from "./logins.ts";
import { BASE, type TestService } from "./service.ts";

/** `ok` or an errorCode. */
export type Said = string;

/**
 * The service without what the tests usually hold against every answer: for tests that ask it a hundred thousand times,
 * or look at the clock. `db` may stand between it and its database.
 */
export function bareApp(
  { settings, now }: TestService,
  db: D1Database = env.DB,
): (session: TestSession, name: EndpointName, body: object) => Promise<Said> {
  const app = createApp({
    db,
    settings,
    clock: now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    hostKeys: { find: () => Promise.reject(new TypeError("no hosts here")) } as never,
    assets: undefined,
    rateLimits: UNLIMITED,
    metrics: undefined,
    log: () => undefined,
  });
  return async ({ clientKey, accessToken }, name, body) => {
    const headers = { [HEADER.clientKey]: clientKey, Authorization: `Bearer ${accessToken}` };
    const init = { method: "POST", headers, body: utf8(JSON.stringify(body)) };
    const response = await app.fetch(new Request(BASE + endpoints[name].path, init));
    const answer: { readonly errorCode?: string } = await response.json();
    return response.ok ? "ok" : (answer.errorCode ?? `${response.status}`);
  };
}
