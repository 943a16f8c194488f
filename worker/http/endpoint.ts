import type { Context, Handler } from "hono";
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  HEADER,
  parseBody,
  unknownMembers,
} from "../../core/api/index.ts";
import { type Bytes, concat, EncodingError, fromUtf8 } from "../../core/encoding/bytes.ts";
import { identify, requireScopes } from "../auth/authenticate.ts";
import { requireOrigin } from "../auth/origins.ts";
import { leaveHall, refuseLogin, requireNetworkRate } from "../auth/rate-limits.ts";
import { type Keyed, keyedRequest, REPLAYED, type Replayable } from "../database/idempotency.ts";
import { ApiError, parseRefused } from "../errors.ts";
import type { ReadsFirst, TokenCaller } from "./read-first.ts";
import { readCapped } from "./request.ts";
import type { AnyRoute, App, Http } from "./route.ts";

/** From a row of the endpoints table and its route to the answer to one request. */

/**
 * What happens to one request, in the order of rules §1: its surroundings (request.ts), and path and method (app.ts), are
 * behind it. Origin, size and type of the body, rate of the network; then the caller, together with what the endpoint
 * reads; scope; body. The first fault decides, and what the request raised is returned. Then the endpoint's own service.
 */
export function serve(name: EndpointName, route: AnyRoute): Handler<App> {
  const endpoint: Endpoint = endpoints[name];
  const { reads } = route as Partial<ReadsFirst>;
  return async (c) => {
    const ctx = c.get("ctx");
    const request = c.req.raw;
    if (request.headers.has("Origin")) await requireOrigin(ctx, request);
    const body = await bodyOf(request, endpoint, ctx.settings.limits[endpoint.maxBody]);
    if (endpoint.networkRate) await requireNetworkRate(ctx, endpoint.networkRate, name);
    try {
      return await answer(c, body);
    } catch (error) {
      leaveHall(ctx);
      if (endpoint.loginRate) return refuseLogin(ctx, name, error);
      throw error;
    }
  };

  async function answer(c: Context<App>, body: Bytes): Promise<Response> {
    const ctx = c.get("ctx");
    const parsed = once(() => parse(endpoint, body));
    const http = { ...httpOf(c, endpoint, body), keyed: await keyOf(c, name, body) };
    const readFirst = async (caller: TokenCaller) => {
      const input = parsed();
      return input.ok ? unlessRefused(() => reads?.(ctx, caller, input.value as never, http)) : undefined;
    };
    const { context, client } = await identify(ctx, c.req.raw, endpoint, reads && readFirst);
    const principal = "principal" in context ? context.principal : undefined;
    c.set("caller", { client, sessionId: principal?.sessionId });
    if (principal) requireScopes(principal, endpoint.scopes);
    const input = parsed();
    if (!input.ok) throw parseRefused(input);

    const answered = await route(context, input.value, http);
    if (!endpoint.idempotent) return c.json(answered);
    const replayable = answered as Replayable<object>;
    return c.json(replayable.answer, 200, replayable.isReplay ? REPLAYED : {});
  }
}

const httpOf = (c: Context<App>, endpoint: Endpoint, body: Bytes): Http => ({
  headers: c.req.raw.headers,
  param: (parameter) => c.req.param(parameter) ?? "",
  setHeader: (header, value) => c.header(header, value),
  ignored: () => ignoredOf(endpoint, body),
});

/** The request's Idempotency-Key; the same body for another subject in the path is another request. */
async function keyOf(c: Context<App>, name: EndpointName, body: Bytes): Promise<Keyed> {
  const endpoint: Endpoint = endpoints[name];
  const key = endpoint.idempotent ? c.req.raw.headers.get(HEADER.idempotencyKey) : null;
  return key ? keyedRequest(name, key, body, Object.values(c.req.param()).join("")) : undefined;
}

/** Parsed after authentication, or for what is read with it; its fault is reported last. */
function parse({ request, looseBody }: Endpoint, body: Bytes) {
  const decoded = decodeJson(body);
  const parsed = decoded.ok ? parseBody(request, decoded.value) : decoded;
  return looseBody && !parsed.ok ? parseBody(request, {}) : parsed;
}

function ignoredOf({ request }: Endpoint, body: Bytes): readonly string[] {
  const decoded = decodeJson(body);
  return decoded.ok ? unknownMembers(request, decoded.value) : [];
}

/** Nothing is read for a request that will be refused after authentication. */
async function unlessRefused<T>(make: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Calls `make` when first asked, and only once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The body, at most `limit` bytes; empty where the endpoint does not look at one like this. */
async function bodyOf(request: Request, endpoint: Endpoint, limit: number): Promise<Bytes> {
  if (endpoint.looseBody === "ignored") return concat();
  if (endpoint.looseBody) return (isJson(request.headers) && (await readBody(request, limit))) || concat();
  if (!isJson(request.headers)) throw new ApiError("unsupported_media_type");
  if (isEncoded(request.headers)) {
    const message = "The body must not be encoded: Content-Encoding may be identity alone.";
    throw new ApiError("unsupported_media_type", { message, headers: { "Accept-Encoding": "identity" } });
  }
  const body = await readBody(request, limit);
  if (body === undefined) throw new ApiError("payload_too_large");
  return body;
}

/** An absent Content-Type counts as JSON. */
function isJson(headers: Headers): boolean {
  const type = headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return type === "" || type === "application/json" || /^application\/[\w.-]+\+json$/.test(type);
}

/** Whether the body would first have to be decoded (RFC 9110 §8.4): its decoded size is unknown. */
const isEncoded = (headers: Headers) =>
  (headers.get("Content-Encoding") ?? "").split(",").some((coding) => !/^\s*(?:identity)?\s*$/i.test(coding));

/** In one piece where its length is announced: HTTP ends it there (RFC 9112 §6.2). */
async function readBody(request: Request, limit: number): Promise<Bytes | undefined> {
  const announced = request.headers.get("Content-Length");
  if (announced === null) return readCapped(request, limit);
  if (!(Number(announced) <= limit)) return undefined;
  const body = new Uint8Array(await request.arrayBuffer());
  return body.length <= limit ? body : undefined;
}

/** The fault of a body that is not JSON at all. */
const NOT_JSON = {
  ok: false,
  code: "invalid_request",
  fields: ["body"],
  errors: ["body must be JSON"],
} as const;

/** The JSON value of `body`; an empty body counts as `{}`. */
function decodeJson(body: Bytes): { readonly ok: true; readonly value: unknown } | typeof NOT_JSON {
  try {
    // Some clients begin UTF-8 with a byte order mark (RFC 8259 §8.1).
    const text = fromUtf8(body).replace(/^\ufeff/, "");
    return { ok: true, value: text.trim() === "" ? {} : JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof EncodingError) return NOT_JSON;
    throw error;
  }
}
