import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { HEADER } from "../../core/api/index.ts";
import type { Db } from "../../db/connect.ts";
import { clientKeyHash } from "../../db/credentials.ts";
import { clientOrigins, clients } from "../../db/schema.ts";
import type { Client, RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";

/** Which application calls: client keys and their origins (rules §1, §3). */

/** Why a client is turned away; the caller learns only the code. */
export const clientRefused = (reason: string) => new ApiError("unauthorized_client", { reason });

/** A client and its origins; give it a `where` by which an index finds the row. */
export const selectClient = (db: Db) => {
  const origins = sql<
    readonly string[]
  >`(select json_group_array(${clientOrigins.origin}) from ${clientOrigins}
    where ${clientOrigins.clientId} = ${clients.id})`;
  return db
    .select({ ...getTableColumns(clients), origins: origins.mapWith(JSON.parse).as("origins") })
    .from(clients);
};

/** The client whose key the request carries. Throws `unauthorized_client`; one trip. */
export async function clientOfKey({ db }: RequestContext, headers: Headers): Promise<Client> {
  const hash = await clientKeyHash(requiredKey(headers));
  const [client] = await selectClient(db).where(eq(clients.keyHash, hash));
  return enabled(client);
}

/** The client that stands in where none was named. Throws `unauthorized_client`; at most one trip. */
export async function defaultClient({ db, settings }: RequestContext): Promise<Client> {
  const id = settings.defaultClientId;
  if (id === undefined) throw clientRefused("no default client");
  const [client] = await selectClient(db).where(eq(clients.id, id));
  return enabled(client);
}

/** Whether a login's or refresh's client key was sent at all. */
export const carriesClientKey = (headers: Headers) => headers.has(HEADER.clientKey);

/** The client key of a request that must have one. Throws `unauthorized_client`. */
export function requiredKey(headers: Headers): string {
  const key = headers.get(HEADER.clientKey)?.trim() ?? "";
  if (key === "") throw clientRefused("no key");
  return key;
}

/** `client`, if it may call at all. Throws `unauthorized_client`. */
export function enabled<T extends Pick<Client, "enabled">>(client: T | undefined): T {
  if (client === undefined) throw clientRefused("unknown key");
  if (!client.enabled) throw clientRefused("disabled");
  return client;
}

/**
 * Whether pages of `origin` may read an answer: for a request with a client key by that key's list alone, without one
 * by the lists of all enabled clients. One trip.
 */
export async function permitsOrigin(
  { db }: RequestContext,
  origin: string,
  key: string | null,
): Promise<boolean> {
  const named = key === null ? undefined : eq(clients.keyHash, await clientKeyHash(key.trim()));
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

/** How a list may name `origin`: as it is, or with any port of its host. */
function listings(origin: string): readonly [string, ...string[]] {
  const [, host] = /^(https?:\/\/(?:\[[0-9a-f:]+\]|[^:/[\]]+))(?::\d+)?$/.exec(origin) ?? [];
  return host === undefined ? [origin] : [origin, `${host}:*`];
}
