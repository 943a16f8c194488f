import { and, eq, inArray } from "drizzle-orm";
import { clientKeyHash } from "../../db/lookup-keys.ts";
import { clientOrigins, clients } from "../../db/schema.ts";
import type { Client, RequestContext } from "../context.ts";

/** Whose pages may call: the origins listed for client keys (rules §1). */

/**
 * Whether pages of `origin` may read an answer. A request with a client key is judged by that key's list
 * alone, one without by the lists of all enabled clients. One D1 call.
 */
export async function permitsOrigin(
  { db }: RequestContext,
  origin: string,
  key: string | null,
): Promise<boolean> {
  const named = key === null ? undefined : eq(clients.keyHash, await clientKeyHash(key));
  const rows = await db
    .select({ id: clients.id })
    .from(clientOrigins)
    .innerJoin(clients, eq(clients.id, clientOrigins.clientId))
    .where(and(inArray(clientOrigins.origin, listings(origin)), eq(clients.enabled, true), named))
    .limit(1);
  return rows.length > 0;
}

/** Whether `client`'s own list has `origin`. */
export const listsOrigin = ({ origins }: Pick<Client, "origins">, origin: string): boolean =>
  listings(origin).some((listing) => origins.includes(listing));

/** The entries by which a list may name `origin`: as it is, or with any port of its host. */
function listings(origin: string): readonly [string, ...string[]] {
  const [, host] = /^(https?:\/\/(?:\[[0-9a-f:]+\]|[^:/[\]]+))(?::\d+)?$/.exec(origin) ?? [];
  return host === undefined ? [origin] : [origin, `${host}:*`];
}
