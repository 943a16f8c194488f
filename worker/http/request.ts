import type { Context, MiddlewareHandler, Next } from "hono";
import { BAG_EVENT_NAMES, type ErrorCode, HEADER } from "../../core/api/index.ts";
import { type Bytes, concat, toHex } from "../../core/encoding/bytes.ts";
import type { Settings } from "../config/env.ts";
import type { Client, HostKeys, IsolateCache, RateLimits, RequestContext } from "../context.ts";
import {
  countsOf,
  type D1Calls,
  doublesOf,
  openDatabase,
  PRIMARY,
  sealsBookmarks,
  startAt,
} from "../database/connect.ts";
import { ApiError } from "../errors.ts";
import { hmacText, sha256Text } from "../secrets/sealed.ts";
import type { Assets } from "./assets.ts";
import { permitReading, preflight } from "./cors.ts";
import { asApiError, errorAnswer } from "./error-answer.ts";
import type { App } from "./route.ts";

/**
 * What surrounds every request: its context, an answer whatever fails, the headers of that answer, its one
 * log line.
 */

/** The dependencies of the service. */
export interface Deps {
  readonly db: D1Database;
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (length: number) => Bytes;
  readonly wait: RequestContext["wait"];
  readonly hostKeys: HostKeys;
  readonly fetcher: typeof fetch;
  readonly assets: Assets | undefined;
  readonly rateLimits: RateLimits;
  /** Takes one data point per request and scheduled run. */
  readonly metrics: AnalyticsEngineDataset | undefined;
  /** Takes one data point per outcome that a client sends. */
  readonly outcomeCounts: AnalyticsEngineDataset | undefined;
  /** Takes one structured line per request. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** The route of a request, mostly its endpoint's row. */
export interface Routed {
  /**
   * Its name in logs and metrics: the path of the route, or `other`, because a request's path may hold
   * anything.
   */
  readonly path: string;
  /**
   * A file of the page: its own headers say how long it may be cached, and no page elsewhere needs to read
   * it.
   */
  readonly isFile?: boolean;
  /** `Cache-Control` of a good answer that a browser may keep. It is the same for all, except for who may read it. */
  readonly caching?: string;
  readonly replica?: boolean;
  readonly oracle?: boolean;
  readonly strangersUnaudited?: boolean;
}

/** Records why a request was refused, before its caller has the answer. */
export type AuditRefusal = (
  ctx: RequestContext,
  error: ApiError,
  client: Client | undefined,
) => Promise<void>;

/** Sends webhooks what this isolate's requests have written of bags. */
export type Deliver = (deps: Deps, isolate: IsolateCache) => Promise<void>;

/** Hono's middleware around the handler of a route. */
export const surround =
  (
    deps: Deps,
    auditRefusal: AuditRefusal,
    deliver: Deliver,
    isolate: IsolateCache = { returned: new Map(), cities: new Map() },
    sealBookmark = sealsBookmarks(),
  ) =>
  (routed: Routed): MiddlewareHandler<App> =>
  async (c, next) => {
    const started = performance.now();
    const { dataKey } = deps.settings;
    const start = routed.replica ? await startAt(dataKey, c.req.raw.headers.get(HEADER.bookmark)) : PRIMARY;
    const { db, calls, bookmark } = openDatabase(deps.db, start.since);
    const ctx = await newContext(deps, c.req.raw, { db, isolate });
    c.set("ctx", ctx);
    const error = await answered(c, next, routed, auditRefusal);
    const milliseconds = performance.now() - started;
    const caller = c.get("caller");
    // Hono makes a copy of the answer then: a file's headers cannot be changed.
    if (routed.isFile) c.header(HEADER.requestId, ctx.requestId);
    const { headers } = c.res;
    headers.set(HEADER.requestId, ctx.requestId);
    for (const [name, value] of ctx.answerHeaders) headers.set(name, value);
    const seen = bookmark();
    // An authenticated client may read from the same bookmark later.
    if (seen !== undefined && caller?.client) {
      const answer = { seen, now: deps.clock(), fromCaller: start.fromCaller };
      headers.set(HEADER.bookmark, await sealBookmark(dataKey, answer));
    }
    // For clients whose clock is wrong: DPoP proofs are dated.
    headers.set("Date", new Date(ctx.now).toUTCString());
    // Files bring theirs along (web/public/_headers); a missing file gets them here.
    if (!routed.isFile || !c.res.ok) for (const [name, value] of OWN_HEADERS) headers.set(name, value);
    if (routed.caching !== undefined && c.res.ok) {
      headers.set("Cache-Control", routed.caching);
      headers.set("Vary", "Origin");
    }
    if (!routed.oracle) headers.set("Server-Timing", timing(milliseconds, calls));
    const facts: RequestFacts = {
      at: ctx.now,
      requestId: ctx.requestId,
      method: c.req.raw.method,
      route: routed.path,
      status: c.res.status,
      milliseconds,
      calls,
      ...(caller?.client && { client: caller.client.id }),
      ...(ctx.uncounted.size > 0 && { uncounted: kindsOf(ctx.uncounted) }),
      ...(ctx.unread.size > 0 && { unread: [...ctx.unread] }),
    };
    // The answer does not wait for its line.
    ctx.afterwards.unshift(() => writeLine(deps, facts, caller?.sessionId, error));
    if (isOfBag(ctx.happened)) ctx.afterwards.push(() => deliver(deps, isolate));
    for (const work of ctx.afterwards) c.env.waitUntil(afterwards(deps, facts, work));
  };

const isOfBag = (events: RequestContext["happened"]) => BAG_EVENT_NAMES.some((name) => events.has(name));

async function writeLine(
  { log, metrics }: Deps,
  facts: RequestFacts,
  sessionId: string | undefined,
  error: ApiError | undefined,
): Promise<void> {
  const session = sessionId && { session: await pseudonym(sessionId) };
  log(requestLine({ ...facts, ...session }, error));
  writeMetrics(metrics, facts, error?.code);
}

/** Runs work in a later turn, after the answer. A failure has a log line of its own, with the kind of the error alone. */
async function afterwards({ log }: Deps, { requestId, route }: RequestFacts, work: () => Promise<void>) {
  await new Promise<void>((resolve) => void setTimeout(resolve));
  try {
    await work();
  } catch (error) {
    log({ requestId, route, event: "afterwards", error: error instanceof Error ? error.name : "?" });
  }
}

/**
 * Lets the route answer; audits a refusal, and adds what a page of another origin may see. There is an answer
 * whatever fails: if the audit row cannot be written, the route's answer is not sent. Returns what was
 * thrown.
 */
async function answered(
  c: Context<App>,
  next: Next,
  { isFile, strangersUnaudited }: Routed,
  auditRefusal: AuditRefusal,
): Promise<ApiError | undefined> {
  const ctx = c.get("ctx");
  const request = c.req.raw;
  try {
    if (!isFile && hasNeedlessEscape(request.url)) throw new ApiError("not_found");
    if (request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method")) {
      c.res = await preflight(ctx, request);
      return undefined;
    }
    await next();
    const error = c.error && asApiError(c.error);
    const client = c.get("caller")?.client;
    const isAudited = !strangersUnaudited || error?.detail.isKnown;
    if (error !== undefined && isAudited) await auditRefusal(ctx, error, client);
    if (!isFile && request.headers.has("Origin")) await permitReading(c, client);
    return error;
  } catch (error) {
    // Hono merges headers into a replaced answer; this one is complete.
    c.res = undefined;
    c.res = errorAnswer(error);
    return asApiError(error);
  }
}

/** The latter two as `web/public/_headers` has them for files. */
const OWN_HEADERS = [
  ["Cache-Control", "no-store"],
  ["Strict-Transport-Security", "max-age=63072000; includeSubDomains"],
  ["X-Content-Type-Options", "nosniff"],
] as const;

/**
 * Escapes of characters that need none (RFC 3986 §2.3). The router reads past them, but a DPoP proof, a cache
 * or a firewall before us may not: each of our paths has one spelling.
 */
const NEEDLESS_ESCAPE = /%(?:2[de]|5f|7e|3[0-9]|[46][1-9a-f]|[57][0-9a])/i;
const hasNeedlessEscape = (url: string): boolean =>
  url.includes("%") && NEEDLESS_ESCAPE.test(new URL(url).pathname);

const timing = (milliseconds: number, calls: D1Calls) =>
  `total;dur=${milliseconds.toFixed(1)}, db;dur=${calls.milliseconds.toFixed(1)};desc="${calls.count}"`;

async function newContext(
  deps: Deps,
  request: Request,
  own: Pick<RequestContext, "db" | "isolate">,
): Promise<RequestContext> {
  const { settings, random, wait, hostKeys, fetcher, assets, rateLimits, outcomeCounts } = deps;
  const address = request.headers.get("CF-Connecting-IP") ?? "";
  const carrier = carrierOf(address);
  return {
    ...own,
    settings,
    now: deps.clock(),
    random,
    wait,
    requestId: newRequestId(random),
    answerHeaders: new Map(),
    network: await hmacText(settings.pepperKey, "network", networkOf(address)),
    carrier: carrier && (await hmacText(settings.pepperKey, "carrier", carrier)),
    hostKeys,
    fetcher,
    assets,
    rateLimits,
    outcomeCounts,
    entered: new Set(),
    happened: new Set(),
    afterwards: [],
    uncounted: new Map(),
    unread: new Set(),
  };
}

/**
 * An id for `X-Request-Id`, log lines and the rows that a request writes: 64 bits in hexadecimal, because it is in most of the
 * tables. It is no secret, and what asks a row for it names the row's tag, key or journey, too.
 */
export const newRequestId = (random: (length: number) => Bytes): string => toHex(random(8));

/** A body, at most `limit` bytes of it ever in memory; undefined for a longer one. */
export async function readCapped({ body }: Body, limit: number): Promise<Bytes | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > limit) return undefined;
    parts.push(part);
  }
  return concat(...parts);
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: one household or office, not one person. */
export function networkOf(address: string): string {
  if (address.includes(".")) return address.split(":").at(-1)?.split(".", 3).join(".") ?? "";
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...rest];
  return all
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

/** The /32 of an IPv6 address: a provider's allocation, from which each customer can get many /48s. */
export const carrierOf = (address: string): string | undefined =>
  /[.]|^[^:]*$/.test(address) ? undefined : networkOf(address).split(":", 2).join(":");

/** The facts of a request once it is answered. Its path is left out: it may contain anything. */
export interface RequestFacts {
  readonly at: number;
  readonly requestId: string;
  readonly method: string;
  /** The endpoint's row or a document's path; `other` for everything else. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly calls: D1Calls;
  readonly client?: string;
  /** {@link pseudonym} of the session. */
  readonly session?: string;
  /** Rate limits that did not answer, each with the kind of the error. */
  readonly uncounted?: Readonly<Record<string, string>>;
  /** Optional data that could not be read and was dropped. */
  readonly unread?: readonly string[];
}

export function requestLine(facts: RequestFacts, error: ApiError | undefined): Record<string, unknown> {
  const { at, calls, milliseconds, ...rest } = facts;
  return {
    at: new Date(at).toISOString(),
    ...rest,
    milliseconds: Math.round(milliseconds),
    ...countsOf(calls),
    ...(error === undefined ? {} : detailsOf(error)),
  };
}

/** Only the kind of a foreign error: its text may hold anything. */
const kindsOf = (failures: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...failures].map(([name, error]) => [name, error instanceof Error ? error.name : "?"]));

/** Shows that log lines belong to one session, without anything by which the session could be used. */
const pseudonym = async (sessionId: string) => (await sha256Text(`session\n${sessionId}`)).slice(0, 16);

/** The columns of the data set; docs/operations.md has queries over them. */
function writeMetrics(
  metrics: AnalyticsEngineDataset | undefined,
  { route, method, status, milliseconds, calls, client = "" }: RequestFacts,
  code: ErrorCode | "" = "",
): void {
  metrics?.writeDataPoint({
    indexes: [route],
    blobs: [route, method, String(status), code, client],
    doubles: doublesOf(milliseconds, calls),
  });
}

/**
 * Codes and reasons are ours. The text of a foreign error may hold anything, so only its kind and place are
 * logged.
 */
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
