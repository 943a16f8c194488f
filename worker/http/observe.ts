import type { ErrorCode } from "../../core/api/index.ts";
import { sha256Text } from "../config/digest.ts";
import type { Caller, RequestContext } from "../context.ts";
import { countsOf, doublesOf, type Trips } from "../database/metering.ts";
import type { ApiError } from "../errors.ts";
import type { Deps } from "./deps.ts";
import { endpointAt } from "./endpoint-at.ts";
import { asApiError } from "./http.ts";

/** What every answer says about itself, the one line the log gets of it, and its data point. */

interface Finished {
  readonly ctx: RequestContext;
  readonly request: Request;
  readonly response: Response;
  readonly error: unknown;
  readonly caller: Caller | undefined;
  /** The path of a document, where one was asked for. */
  readonly document: string | undefined;
  readonly trips: Trips;
  readonly started: number;
}

/** Adds the common headers to the answer, writes the log line and the data point. */
export async function finish(deps: Deps, finished: Finished): Promise<void> {
  const { ctx, request, response, trips, started, caller, document } = finished;
  const error = finished.error === undefined ? undefined : asApiError(finished.error);
  const milliseconds = performance.now() - started;
  const { pathname } = new URL(request.url);
  const endpoint = endpointAt(pathname);
  const { headers } = response;
  headers.set("X-Request-Id", ctx.requestId);
  // For clients whose clock is wrong: DPoP proofs are dated.
  headers.set("Date", new Date(ctx.now).toUTCString());
  if (!isAsset(pathname, response)) headers.set("Cache-Control", "no-store");
  if (!endpoint?.oracle) {
    const db = `db;dur=${trips.milliseconds.toFixed(1)};desc="${trips.count}"`;
    headers.set("Server-Timing", `total;dur=${milliseconds.toFixed(1)}, ${db}`);
  }
  const facts: RequestFacts = {
    at: ctx.now,
    requestId: ctx.requestId,
    method: request.method,
    route: endpoint?.path ?? document ?? "other",
    status: response.status,
    milliseconds,
    trips,
    ...(caller?.client && { client: caller.client.id }),
    ...(caller?.sessionId && { session: await pseudonym(caller.sessionId) }),
    ...(ctx.uncounted.size > 0 && { uncounted: kindsOf(ctx.uncounted) }),
  };
  deps.log(requestLine(facts, error));
  writeMetrics(deps.metrics, facts, error?.code);
}

/** What is known of a request once it is answered. Paths are not: they may hold anything. */
export interface RequestFacts {
  readonly at: number;
  readonly requestId: string;
  readonly method: string;
  /** The endpoint's row or a document's path; `other` for everything else. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly trips: Trips;
  readonly client?: string;
  /** {@link pseudonym} of the session. */
  readonly session?: string;
  /** Rate limits that did not answer, each with the kind of the error. */
  readonly uncounted?: Readonly<Record<string, string>>;
}

/** The log line of a request. */
export function requestLine(facts: RequestFacts, error: ApiError | undefined): Record<string, unknown> {
  const { at, trips, milliseconds, ...rest } = facts;
  return {
    at: new Date(at).toISOString(),
    ...rest,
    milliseconds: Math.round(milliseconds),
    ...countsOf(trips),
    ...(error === undefined ? {} : detailsOf(error)),
  };
}

/** Of a foreign error only the kind: its text may hold anything. */
const kindsOf = (failures: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...failures].map(([name, error]) => [name, error instanceof Error ? error.name : "?"]));

/** Says that lines are of one session, and nothing that would let anybody use it. */
const pseudonym = async (sessionId: string) => (await sha256Text(`session\n${sessionId}`)).slice(0, 16);

/** The columns of the data set; docs/operations.md has queries over them. */
function writeMetrics(
  metrics: AnalyticsEngineDataset | undefined,
  { route, method, status, milliseconds, trips, client = "" }: RequestFacts,
  code: ErrorCode | "" = "",
): void {
  metrics?.writeDataPoint({
    indexes: [route],
    blobs: [route, method, String(status), code, client],
    doubles: doublesOf(milliseconds, trips),
  });
}

/** Codes and reasons are ours; the text of a foreign error may hold anything, so only its kind and place are kept. */
function detailsOf({ code, detail }: ApiError): Record<string, unknown> {
  const isFailure = code === "internal_error" || code === "service_unavailable";
  const cause = isFailure && detail.cause instanceof Error ? detail.cause : undefined;
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
