import { Hono, type MiddlewareHandler } from "hono";
import { type Endpoint, type EndpointName, endpoints, parseBody } from "../core/api/index.ts";
import { concat } from "../core/bytes.ts";
import { serveAsset } from "./assets.ts";
import type { RequestContext } from "./context.ts";
import { isCrossOrigin, permitReading, preflight } from "./cors.ts";
import { type Deps, newContext } from "./deps.ts";
import { ApiError } from "./errors.ts";
import { decodeJson, errorAnswer, json, parseRefused, readBody, requireJson, requireMethod } from "./http.ts";
import { identify } from "./identify.ts";
import { finish } from "./observe.ts";
import type { Http, OneTripRoute, Route, Routes } from "./route.ts";
import { documents } from "./routes/documents.ts";
import { journeyRoutes } from "./routes/journeys.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { tagRoutes } from "./routes/tags.ts";

type App = { Variables: { ctx: RequestContext } };
type AnyRoute = Route<EndpointName> | OneTripRoute<EndpointName>;

/** The whole service as one function from request to response. */
export function createApp(deps: Deps): { fetch(request: Request): Promise<Response> | Response } {
  const app = new Hono<App>();
  app.use(around(deps));
  for (const [path, document] of Object.entries(documents)) {
    app.all(path, async (c) => {
      requireMethod(c.req.raw, "GET", "HEAD");
      return document(c.var.ctx);
    });
  }
  const routes: Routes = { ...sessionRoutes, ...tagRoutes, ...journeyRoutes };
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const run = serve(endpoint, routes[name] as AnyRoute);
    app.all(path, (c) => run(c.var.ctx, c.req.raw, (parameter) => c.req.param(parameter) ?? ""));
  }
  app.all("*", (c) => {
    if (isOurs(c.req.path)) throw new ApiError("not_found");
    return serveAsset(c.req.raw, deps.assets);
  });
  app.onError((error) => errorAnswer(error));
  return { fetch: (request) => app.fetch(request) };
}

const isOurs = (path: string) => path === "/v2" || path.startsWith("/v2/");

/** What surrounds every request: its context, cross-origin rules, headers, one log line. */
function around(deps: Deps): MiddlewareHandler<App> {
  return async (c, next) => {
    const { ctx, trips, started } = await newContext(deps, c.req.raw);
    c.set("ctx", ctx);
    const request = c.req.raw;
    const isPreflight = request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method");
    if (isPreflight) c.res = await preflight(ctx, request);
    else await next();
    const response = new Response(c.res.body, c.res);
    if (!isPreflight && isOurs(c.req.path) && isCrossOrigin(request)) {
      await permitReading(ctx, request, response.headers);
    }
    await finish(deps, { ctx, request, response, error: c.error, trips, started });
    // Hono merges headers of a replaced answer; ours is complete already.
    c.res = undefined;
    c.res = response;
  };
}

/** One endpoint, its checks in the order of decisions §1: method, type, size, client, token, scope, body. */
function serve(endpoint: Endpoint, route: AnyRoute) {
  return async (
    ctx: RequestContext,
    request: Request,
    param: (name: string) => string,
  ): Promise<Response> => {
    requireMethod(request, "POST");
    if (!endpoint.ignoresBody) requireJson(request.headers);
    const body = endpoint.ignoresBody
      ? concat()
      : await readBody(request, ctx.settings.limits[endpoint.maxBody]);

    const decoded = decodeJson(body);
    const parsed = decoded.ok ? parseBody(endpoint.request, decoded.value) : decoded;
    const added: Record<string, string> = {};
    const http: Http = {
      headers: request.headers,
      param,
      body,
      setHeader: (name, value) => {
        added[name] = value;
      },
    };
    const input = (parsed.ok ? parsed.value : undefined) as never;
    const along = (sub: string) =>
      typeof route === "object" && parsed.ok ? route.reads(ctx, sub, input, http) : [];

    const { context, rows } = await identify(ctx, request, endpoint, along);
    if (!parsed.ok) throw parseRefused(parsed);

    const answer =
      typeof route === "function"
        ? await route(context as never, input, http)
        : await route.answer(context as never, input, rows, http);
    return answer instanceof Response ? answer : json(answer, 200, added);
  };
}
