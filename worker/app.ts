import { Hono, type MiddlewareHandler } from "hono";
import { type Endpoint, type EndpointName, endpoints } from "../core/api/index.ts";
import { serveAsset } from "./assets.ts";
import type { Client, RequestContext } from "./context.ts";
import { isCrossOrigin, permitReading, preflight } from "./cors.ts";
import { type Deps, newContext } from "./deps.ts";
import { type AnyRoute, serve } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import { errorAnswer, requireMethod } from "./http.ts";
import { finish } from "./observe.ts";
import type { Routes } from "./route.ts";
import { documents } from "./routes/documents.ts";
import { journeyRoutes } from "./routes/journeys.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { tagRoutes } from "./routes/tags.ts";

type App = { Variables: { ctx: RequestContext; client: Client | undefined } };

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
    app.all(path, (c) => {
      const param = (parameter: string) => c.req.param(parameter) ?? "";
      return run({
        ctx: c.var.ctx,
        request: c.req.raw,
        param,
        knownClient: (client) => c.set("client", client),
      });
    });
  }
  app.all("*", (c) => {
    if (isOurs(c.req.path)) throw new ApiError("not_found");
    return serveAsset(c.req.raw, deps.assets);
  });
  app.onError((error, c) => {
    const answer = errorAnswer(error);
    answer.headers.set("X-Request-Id", c.var.ctx?.requestId ?? "");
    answer.headers.set("Cache-Control", "no-store");
    return answer;
  });
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
      await permitReading(ctx, request, response.headers, c.var.client);
    }
    await finish(deps, { ctx, request, response, error: c.error, trips, started });
    // Hono merges headers of a replaced answer; ours is complete already.
    c.res = undefined;
    c.res = response;
  };
}
