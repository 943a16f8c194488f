import { and, eq, gt } from "drizzle-orm";
import { HEADER } from "../../core/api/index.ts";
import { clientOrigins, clients } from "../../db/schema.ts";
import type { Client, ListedOrigins, RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { clientKeyHash } from "../secrets/sealed.ts";

/** Whose pages may call and read: the origins listed for client keys (rules §1). */

/** How long a list is cached. */
const FRESH = 60_000;

/** Any web page can have such an origin; `null`, which a sandboxed frame has, and apps' own schemes are none. */
const OF_PAGE = /^https?:/;

/**
 * Refuses a page that is neither ours nor listed, before its request costs anything. Other origins pass with a client
 * key: no browser sends that header before a preflight has allowed it. Throws `unauthorized_client`.
 */
export async function requireOrigin(ctx: RequestContext, { headers, url }: Request): Promise<void> {
  const origin = headers.get("Origin");
  if (!origin || origin === new URL(url).origin || origin === ctx.settings.publicOrigin) return;
  if (!OF_PAGE.test(origin) && headers.has(HEADER.clientKey)) return;
  if (!(await permitsOrigin(ctx, origin, null)))
    throw new ApiError("unauthorized_client", { reason: "origin" });
}

/**
 * Whether pages of `origin` may read an answer. A request with a client key is checked against that key's list
 * alone, one without against the lists of all enabled clients.
 */
export async function permitsOrigin(
  ctx: RequestContext,
  origin: string,
  key: string | null,
): Promise<boolean> {
  const { keysOf } = await listedOrigins(ctx);
  const keys = listings(origin).flatMap((listing) => [...(keysOf.get(listing) ?? [])]);
  return key === null ? keys.length > 0 : keys.includes(await clientKeyHash(key));
}

/** The lists of all enabled clients as this isolate has read them within the last minute. */
async function listedOrigins(ctx: RequestContext): Promise<ListedOrigins> {
  const { isolate, now } = ctx;
  if (isolate.origins === undefined || now >= isolate.origins.until) {
    isolate.origins = { until: now + FRESH, keysOf: await readOrigins(ctx) };
  }
  return isolate.origins;
}

/** All of a short list: from its first entry on. */
async function readOrigins({ db }: RequestContext): Promise<ListedOrigins["keysOf"]> {
  const rows = await db
    .select({ origin: clientOrigins.origin, keyHash: clients.keyHash })
    .from(clientOrigins)
    .innerJoin(clients, eq(clients.id, clientOrigins.clientId))
    .where(and(gt(clientOrigins.origin, ""), eq(clients.enabled, true)));
  const byOrigin = Map.groupBy(rows, ({ origin }) => origin);
  return new Map([...byOrigin].map(([origin, of]) => [origin, of.map(({ keyHash }) => keyHash)]));
}

/** Whether `client`'s own list has `origin`. */
export const listsOrigin = ({ origins }: Pick<Client, "origins">, origin: string): boolean =>
  listings(origin).some((listing) => origins.includes(listing));

/** The entries by which a list may name `origin`: as it is, or with any port of its host. */
function listings(origin: string): readonly [string, ...string[]] {
  const [, host] = /^(https?:\/\/(?:\[[0-9a-f:]+\]|[^:/[\]]+))(?::\d+)?$/.exec(origin) ?? [];
  return host === undefined ? [origin] : [origin, `${host}:*`];
}
