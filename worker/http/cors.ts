import type { Context } from "hono";
import { HEADER } from "../../core/api/index.ts";
import { listsOrigin, permitsOrigin } from "../auth/origins.ts";
import type { Client, RequestContext } from "../context.ts";
import type { App } from "./route.ts";

/** Cross-origin rules (rules §1): what a browser on another origin may see of our answers. */

const EXPOSED = [
  "Retry-After",
  HEADER.requestId,
  "DPoP-Nonce",
  "WWW-Authenticate",
  "Idempotent-Replayed",
  HEADER.bookmark,
  "Date",
].join(", ");
const ACCEPTED = [
  "Content-Type",
  "Authorization",
  HEADER.clientKey,
  HEADER.b2bSecret,
  HEADER.dpop,
  HEADER.idempotencyKey,
  HEADER.bookmark,
].join(", ");

/** Answer to a preflight. */
export async function preflight(ctx: RequestContext, request: Request): Promise<Response> {
  const headers = new Headers({ Vary: "Origin", "Access-Control-Max-Age": "600" });
  const origin = originOf(request);
  if (await permitsOrigin(ctx, origin, keyOf(request))) {
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Allow-Methods", "POST, GET");
    headers.set("Access-Control-Allow-Headers", ACCEPTED);
  }
  return new Response(null, { status: 204, headers });
}

/**
 * Lets a page of another origin read the answer to its request, if that origin may; passing a known `client`
 * saves the look-up.
 */
export async function permitReading(c: Context<App>, client: Client | undefined): Promise<void> {
  const request = c.req.raw;
  const origin = originOf(request);
  if (origin === new URL(request.url).origin) return;
  const { headers } = c.res;
  headers.append("Vary", "Origin");
  const permitted =
    client === undefined
      ? await permitsOrigin(c.get("ctx"), origin, keyOf(request))
      : listsOrigin(client, origin);
  if (!permitted) return;
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", EXPOSED);
}

const originOf = (request: Request) => request.headers.get("Origin") ?? "";
const keyOf = (request: Request) => request.headers.get(HEADER.clientKey);
