import { type Endpoint, type EndpointName, endpoints, parseBody } from "../../core/api/index.ts";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { requireScopes } from "../auth/authenticate.ts";
import { identify } from "../auth/identify.ts";
import { requireNetworkRate, requireSubjectRate } from "../auth/rate-limits.ts";
import type { Caller, RequestContext } from "../context.ts";
import { decodeJson, json, parseRefused, readBody, requireJson, requireMethod } from "./http.ts";
import type { Http, OneTripRoute, Route } from "./route.ts";

/** From a row of the endpoints table and its route to the answer of one request. */

/** A route whose endpoint is known at run time only; `Routes` has checked that the two belong together. */
export type AnyRoute = Route<EndpointName> | OneTripRoute<EndpointName>;

export interface Call {
  readonly ctx: RequestContext;
  readonly request: Request;
  /** A `{name}` of the path. */
  readonly param: (name: string) => string;
  /** Told who calls, once that is known. */
  readonly known: (caller: Caller) => void;
}

/** One endpoint, its checks in the order of rules §1: method, type, size, client, token, scope, body. */
export function serve(name: EndpointName, route: AnyRoute) {
  const endpoint: Endpoint = endpoints[name];
  return async ({ ctx, request, param, known }: Call): Promise<Response> => {
    requireMethod(request, "POST");
    const body = await bodyOf(ctx, request, endpoint);
    const parsed = once(() => parse(endpoint, body));
    const { http, added } = httpOf(request, param, body);
    const along = (sub: string) => {
      if (typeof route === "function") return [];
      const input = parsed();
      return input.ok ? route.reads(ctx, sub, input.value as never, http) : [];
    };

    await requireNetworkRate(ctx, name);
    const { context, client, rows } = await identify(ctx, request, endpoint, along);
    known({ client, sessionId: "principal" in context ? context.principal.sessionId : undefined });
    if ("principal" in context) {
      requireScopes(context.principal, endpoint.scopes);
      await requireSubjectRate(context, name);
    }
    const input = parsed();
    if (!input.ok) throw parseRefused(input);

    const answer =
      typeof route === "function"
        ? await route(context as never, input.value as never, http)
        : await route.answer(context as never, input.value as never, rows, http);
    return answer instanceof Response ? answer : json(answer, 200, added);
  };
}

async function bodyOf(ctx: RequestContext, request: Request, endpoint: Endpoint): Promise<Bytes> {
  if (endpoint.ignoresBody) return concat();
  requireJson(request.headers);
  return readBody(request, ctx.settings.limits[endpoint.maxBody]);
}

/**
 * Parsed last; where what a route reads travels with the authentication, once the access token's signature holds. Those
 * bodies are small. Judged last everywhere.
 */
function parse(endpoint: Endpoint, body: Bytes) {
  const decoded = decodeJson(body);
  return decoded.ok ? parseBody(endpoint.request, decoded.value) : decoded;
}

/** `make`, not before it is asked for and not twice. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function httpOf({ headers }: Request, param: (name: string) => string, body: Bytes) {
  const added: Record<string, string> = {};
  const setHeader = (name: string, value: string) => {
    added[name] = value;
  };
  const http: Http = { headers, param, body, setHeader };
  return { http, added };
}
