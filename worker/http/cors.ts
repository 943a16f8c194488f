import { HEADER } from "../../core/api/index.ts";
import { listsOrigin, permitsOrigin } from "../auth/clients.ts";
import type { Client, RequestContext } from "../context.ts";

/** Cross-origin rules (rules §1): what a browser elsewhere may see of our answers. */

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
  const origin = originOf(request);
  if (await permitsOrigin(ctx, origin, keyOf(request))) {
    headers.set("Access-Control-Allow-Origin", origin);
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
  const origin = originOf(request);
  const permitted =
    client === undefined ? await permitsOrigin(ctx, origin, keyOf(request)) : listsOrigin(client, origin);
  if (!permitted) return;
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", EXPOSED);
}

const originOf = (request: Request) => request.headers.get("Origin") ?? "";
const keyOf = (request: Request) => request.headers.get(HEADER.clientKey);
