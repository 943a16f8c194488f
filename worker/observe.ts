import { type Endpoint, endpoints } from "../core/api/index.ts";
import type { RequestContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import type { ApiError } from "./errors.ts";
import { asApiError } from "./http.ts";
import { auditRefusal } from "./services/refusals.ts";
import type { Trips } from "./trips.ts";

/** What every answer says about itself, and the one line the log gets. */

interface Finished {
  readonly ctx: RequestContext;
  readonly request: Request;
  readonly response: Response;
  readonly error: Error | undefined;
  readonly trips: Trips;
  readonly started: number;
}

/** Adds the common headers to the answer, audits a refusal and writes the log line. */
export async function finish(deps: Deps, finished: Finished): Promise<void> {
  const { ctx, request, response, trips, started } = finished;
  const error = finished.error === undefined ? undefined : asApiError(finished.error);
  if (error !== undefined) await auditRefusal(ctx, error);
  const total = performance.now() - started;
  const { pathname } = new URL(request.url);
  const endpoint = endpointAt(pathname);
  const { headers } = response;
  headers.set("X-Request-Id", ctx.requestId);
  // For clients whose clock is wrong: DPoP proofs are dated.
  headers.set("Date", new Date(ctx.now).toUTCString());
  if (!isAsset(pathname, response)) headers.set("Cache-Control", "no-store");
  if (!endpoint?.oracle) {
    const db = `db;dur=${trips.milliseconds.toFixed(1)};desc="${trips.count}"`;
    headers.set("Server-Timing", `total;dur=${total.toFixed(1)}, ${db}`);
  }
  deps.log({
    at: new Date(ctx.now).toISOString(),
    requestId: ctx.requestId,
    method: request.method,
    route: endpoint?.path ?? "other",
    status: response.status,
    milliseconds: Math.round(total),
    trips: trips.count,
    ...(error === undefined ? {} : detailsOf(error)),
  });
}

/** Codes and reasons are ours; the text of a foreign error may hold anything, so only its kind and place are kept. */
function detailsOf(error: ApiError): Record<string, unknown> {
  const { code, detail } = error;
  const cause = code === "internal_error" && detail.cause instanceof Error ? detail.cause : undefined;
  return {
    errorCode: code,
    ...(detail.reason === undefined ? {} : { reason: detail.reason }),
    ...(cause === undefined ? {} : { cause: cause.name, stack: framesOf(cause) }),
  };
}

const framesOf = (error: Error) =>
  (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));

/** Files of the page keep the caching their own headers ask for. */
const isAsset = (path: string, response: Response) =>
  !/^\/(v2|\.well-known|healthz|openapi\.json|demo)(\/|$)/.test(path) && response.ok;

const patterns = Object.values(endpoints).map((endpoint: Endpoint) => {
  return { endpoint, pattern: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

const endpointAt = (path: string) => patterns.find(({ pattern }) => pattern.test(path))?.endpoint;
