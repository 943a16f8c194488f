import type { BatchItem } from "drizzle-orm/batch";
import type { Endpoint } from "../../core/api/index.ts";
import type { BearerContext, Client, LoginContext, RefreshContext, RequestContext } from "../context.ts";
import { authenticate, proofOf } from "./authenticate.ts";
import { carriesClientKey, clientOfKey, defaultClient } from "./clients.ts";

/** The context of an endpoint's service, and what came with it. */
interface Identified {
  readonly context: RequestContext | BearerContext;
  /** The client whose key was sent, if one was looked at. */
  readonly client: Client | undefined;
  readonly rows: readonly unknown[];
}

/** Who calls an endpoint, as far as its row in the table asks. At most one D1 round trip. */
export async function identify(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  along: (sub: string) => readonly BatchItem<"sqlite">[],
): Promise<Identified> {
  if (endpoint.security === "bearer") {
    const { client, principal, rows } = await authenticate(ctx, request, endpoint, along);
    const context: BearerContext = { ...ctx, client, principal };
    return { context, client, rows };
  }
  const isNamed = endpoint.security === "client" || carriesClientKey(request.headers);
  if (endpoint.security === "client" || endpoint.withoutKey === "default") {
    const client = isNamed ? await clientOfKey(ctx, request.headers) : await defaultClient(ctx);
    const proof = await proofOf(ctx, request);
    const context: LoginContext = { ...ctx, client, clientNamed: isNamed, proof };
    return { context, client: isNamed ? client : undefined, rows: [] };
  }
  if (endpoint.withoutKey === "allowed") {
    const client = isNamed ? await clientOfKey(ctx, request.headers) : undefined;
    const context: RefreshContext = { ...ctx, client, proof: await proofOf(ctx, request) };
    return { context, client, rows: [] };
  }
  return { context: ctx, client: undefined, rows: [] };
}
