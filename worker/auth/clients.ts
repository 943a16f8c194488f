import { and, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import { HEADER } from "../../core/api/index.ts";
import { clientOrigins, clients } from "../../db/schema.ts";
import type { Client, ListedOrigins, RequestContext } from "../context.ts";
import { inBatch, parameter, Reading, snapshot } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { clientKeyHash } from "../secrets/lookup-keys.ts";

/** Which client calls, and whose pages may: client keys, and the origins listed for them (rules §1). */

/** Why a client is refused: for the log; the caller gets the code alone. */
export const clientRefused = (reason: string) => new ApiError("unauthorized_client", { reason });

/** A client and its origins. */
const ofClient = (which: SQL) =>
  snapshot(
    {
      ...getTableColumns(clients),
      origins: sql<
        readonly string[]
      >`json((select json_group_array(${clientOrigins.origin}) from ${clientOrigins}
        where ${clientOrigins.clientId} = ${clients.id}))`,
    },
    sql`from ${clients} where ${which}`,
  );
export const clientOfKey = ofClient(sql`${clients.keyHash} = ${parameter("keyHash")}`);
const clientByKey = new Reading({ clients: clientOfKey });
const clientById = new Reading({ clients: ofClient(sql`${clients.id} = ${parameter("id")}`) });

/** The client whose key `headers` have; without them the one that applies where no key was sent. */
export async function readClient(
  ctx: RequestContext,
  headers: Headers | undefined,
): Promise<Client | undefined> {
  const { db } = ctx;
  const { known } = await inBatch(db, {
    known: headers
      ? clientByKey.read(db, { keyHash: await clientKeyHash(requiredKey(headers)) })
      : clientById.read(db, { id: defaultClient(ctx) }),
  });
  return clientByKey.facts(known[0] ?? {}).clients[0];
}

/** The client that applies where no key was sent. Throws `unauthorized_client`. */
function defaultClient({ settings }: RequestContext): string {
  if (settings.defaultClientId === undefined) throw clientRefused("no default client");
  return settings.defaultClientId;
}

/** The client key of a request that must have one. Throws `unauthorized_client`. */
export function requiredKey(headers: Headers): string {
  const key = headers.get(HEADER.clientKey) ?? "";
  if (key === "") throw clientRefused("no key");
  return key;
}

/** Returns `client` if it may call at all. Throws `unauthorized_client`. */
export function enabled<T extends Pick<Client, "enabled">>(client: T | undefined): T {
  if (client === undefined) throw clientRefused("unknown key");
  if (!client.enabled) throw clientRefused("disabled");
  return client;
}

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
  if (!(await permitsOrigin(ctx, origin, null))) throw clientRefused("origin");
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
