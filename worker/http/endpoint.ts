import type { Handler } from "hono";
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  HEADER,
  parseBody,
  unknownMembers,
} from "../../core/api/index.ts";
import { type Bytes, concat, EncodingError, fromUtf8 } from "../../core/encoding/bytes.ts";
import { asCaller, type Identified, requireScopes } from "../auth/authenticate.ts";
import { requireOrigin } from "../auth/origins.ts";
import { refuseLogin, requireNetworkRate } from "../auth/rate-limits.ts";
import { keyedRequest, REPLAYED, type Replayable } from "../database/idempotency.ts";
import { ApiError, parseRefused } from "../errors.ts";
import type { AnyRoute, App, Http } from "./route.ts";

/** From a row of the endpoints table and its route to the answer to one request. */

/**
 * One endpoint: checks the request before its route runs, in the order of rules §1. Path and method are
 * already matched; then origin, type, size, client, token, scope, body. The first fault decides.
 */
export function serve(name: EndpointName, route: AnyRoute): Handler<App> {
  const endpoint: Endpoint = endpoints[name];
  return async (c) => {
    const { ctx } = c.var;
    const request = c.req.raw;
    await requireOrigin(ctx, request);
    const body = await bodyOf(request, endpoint, ctx.settings.limits[endpoint.maxBody]);
    const parsed = once(() => parse(endpoint, body));

    if (endpoint.networkRate) await requireNetworkRate(ctx, endpoint.networkRate, name);
    const work = async ({ context, client }: Identified) => {
      c.set("caller", {
        client,
        sessionId: "principal" in context ? context.principal.sessionId : undefined,
      });
      if ("principal" in context) requireScopes(context.principal, endpoint.scopes);
      const input = parsed();
      if (!input.ok) throw parseRefused(input);
      const http: Http = {
        headers: request.headers,
        param: (parameter) => c.req.param(parameter) ?? "",
        setHeader: (header, value) => c.header(header, value),
        ignored: () => ignoredOf(endpoint, body),
      };
      if (!endpoint.idempotent) return c.json(await route(context, input.value, http));
      const subject = Object.values(c.req.param()).join("");
      const keyed = await keyedRequest(name, request.headers.get(HEADER.idempotencyKey), body, subject);
      const { answer, isReplay } = (await route(context, input.value, {
        ...http,
        keyed,
      })) as Replayable<object>;
      return c.json(answer, 200, isReplay ? REPLAYED : {});
    };
    const answer = asCaller(ctx, request, endpoint, { work, forget: () => c.set("caller", undefined) });
    return endpoint.loginRate ? answer.catch((error: unknown) => refuseLogin(ctx, name, error)) : answer;
  };
}

/** Parsed last, and once: a caller may be judged twice. */
function parse({ request, looseBody }: Endpoint, body: Bytes) {
  const decoded = decodeJson(body);
  const parsed = decoded.ok ? parseBody(request, decoded.value) : decoded;
  return looseBody && !parsed.ok ? parseBody(request, {}) : parsed;
}

function ignoredOf({ request }: Endpoint, body: Bytes): readonly string[] {
  const decoded = decodeJson(body);
  return decoded.ok ? unknownMembers(request, decoded.value) : [];
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

/** Whether the body would first have to be decoded (RFC 9110 §8.4): what it grows to is not known before. */
const isEncoded = (headers: Headers) =>
  (headers.get("Content-Encoding") ?? "").split(",").some((coding) => !/^\s*(?:identity)?\s*$/i.test(coding));

/** The body, at most `limit` bytes of it ever in memory; undefined for a longer one. */
async function readBody(request: Request, limit: number): Promise<Bytes | undefined> {
  const announced = Number(request.headers.get("Content-Length") ?? 0);
  if (announced > limit) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > limit) return undefined;
    parts.push(part);
  }
  return concat(...parts);
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
