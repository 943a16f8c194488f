import { eq } from "drizzle-orm";
import { HEADER } from "../core/api/index.ts";
import { clientKeyHash } from "../db/credentials.ts";
import { clients } from "../db/schema.ts";
import type { Client, RequestContext } from "./context.ts";

/** Cross-origin rules (decisions §1): what a browser elsewhere may see of our answers. */

const EXPOSED = "Retry-After, X-Request-Id, DPoP-Nonce, WWW-Authenticate, Idempotent-Replayed";
const ACCEPTED = [
  "Content-Type",
  "Authorization",
  HEADER.clientKey,
  HEADER.b2bSecret,
  HEADER.dpop,
  HEADER.idempotencyKey,
].join(", ");

/** Whether `request` comes from a page of another origin. */
export function isCrossOrigin(request: Request): boolean {
  const origin = request.headers.get("Origin");
  return origin !== null && origin !== new URL(request.url).origin;
}

/** Answer to a preflight. */
export async function preflight(ctx: RequestContext, request: Request): Promise<Response> {
  const headers = new Headers({ Vary: "Origin", "Access-Control-Max-Age": "600" });
  if (await permitsOrigin(ctx, request)) {
    headers.set("Access-Control-Allow-Origin", request.headers.get("Origin") ?? "");
    headers.set("Access-Control-Allow-Methods", "POST, GET");
    headers.set("Access-Control-Allow-Headers", ACCEPTED);
  }
  return new Response(null, { status: 204, headers });
}

/** Lets the page that asked read the answer, where its origin may; `client` saves the look-up where it is known. */
export async function permitReading(
  ctx: RequestContext,
  request: Request,
  headers: Headers,
  client: Client | undefined,
): Promise<void> {
  headers.append("Vary", "Origin");
  const origin = request.headers.get("Origin") ?? "";
  if (!(client === undefined ? await permitsOrigin(ctx, request) : lists(client, origin))) return;
  headers.set("Access-Control-Allow-Origin", request.headers.get("Origin") ?? "");
  headers.set("Access-Control-Expose-Headers", EXPOSED);
}

/** A keyed request is judged by that key's origins alone, a keyless one by those of all enabled keys. */
async function permitsOrigin(ctx: RequestContext, request: Request): Promise<boolean> {
  const origin = request.headers.get("Origin") ?? "";
  const key = request.headers.get(HEADER.clientKey);
  const named = key === null ? undefined : eq(clients.keyHash, await clientKeyHash(key.trim()));
  const rows = await ctx.db
    .select({ origins: clients.origins, enabled: clients.enabled })
    .from(clients)
    .where(named ?? eq(clients.enabled, true));
  return rows.some((client) => client.enabled && lists(client, origin));
}

const lists = ({ origins }: Pick<Client, "origins">, origin: string) =>
  origins.some((listed) => matches(listed, origin));

/** `http://localhost:*` stands for every port of that host; anything else is compared whole. */
function matches(listed: string, origin: string): boolean {
  if (!listed.endsWith(":*")) return listed === origin;
  const host = listed.slice(0, -2);
  return origin === host || (origin.startsWith(`${host}:`) && /^\d+$/.test(origin.slice(host.length + 1)));
}
