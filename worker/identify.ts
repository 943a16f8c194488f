import type { BatchItem } from "drizzle-orm/batch";
import type { Endpoint } from "../core/api/index.ts";
import { authenticate, carriesClientKey, clientOfKey, defaultClient, proofOf } from "./auth.ts";
import type { BearerContext, LoginContext, RefreshContext, RequestContext } from "./context.ts";

/** Who calls an endpoint, as far as its row in the table asks. At most one D1 round trip. */
export async function identify(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  along: (sub: string) => readonly BatchItem<"sqlite">[],
): Promise<{ readonly context: RequestContext; readonly rows: readonly unknown[] }> {
  if (endpoint.security === "bearer") {
    const { client, principal, rows } = await authenticate(ctx, request, endpoint, along);
    const context: BearerContext = { ...ctx, client, principal };
    return { context, rows };
  }
  const named = endpoint.security === "client" || carriesClientKey(request.headers);
  if (endpoint.security === "client" || endpoint.withoutKey === "default") {
    const client = named ? await clientOfKey(ctx, request.headers) : await defaultClient(ctx);
    const context: LoginContext = { ...ctx, client, clientNamed: named, proof: await proofOf(ctx, request) };
    return { context, rows: [] };
  }
  if (endpoint.withoutKey === "allowed") {
    const client = named ? await clientOfKey(ctx, request.headers) : undefined;
    const context: RefreshContext = { ...ctx, client, proof: await proofOf(ctx, request) };
    return { context, rows: [] };
  }
  return { context: ctx, rows: [] };
}
