import { type Context, Hono, type MiddlewareHandler, type Next } from "hono";
import { type Endpoint, type EndpointName, endpoints, HEADER } from "../core/api/index.ts";
import { auditRefusal } from "./audit/refusals.ts";
import { auditRoutes } from "./audit/routes.ts";
import type { Caller, RequestContext } from "./context.ts";
import { reference } from "./documents/reference.ts";
import { documents } from "./documents/routes.ts";
import { ApiError } from "./errors.ts";
import { feedRoutes } from "./feeds/routes.ts";
import { serveAsset } from "./http/assets.ts";
import { isCrossOrigin, permitReading, preflight } from "./http/cors.ts";
import { type Deps, newContext } from "./http/deps.ts";
import { type AnyRoute, serve } from "./http/endpoint.ts";
import { asApiError, errorAnswer, requireMethod } from "./http/http.ts";
import { finish } from "./http/observe.ts";
import type { Routes } from "./http/route.ts";
import { journeyRoutes } from "./journeys/routes.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { tagRoutes } from "./tags/routes.ts";

type App = { Variables: { ctx: RequestContext; caller: Caller | undefined; document: string | undefined } };

/** The whole service as one function from request to response. */
export function createApp(deps: Deps): { fetch(request: Request): Promise<Response> | Response } {
  const app = new Hono<App>();
  app.use(around(deps));
  for (const [path, document] of Object.entries(documents)) {
    app.all(path, async (c) => {
      c.set("document", path);
      requireMethod(c.req.raw, "GET", "HEAD");
      return document(c.var.ctx);
    });
  }
  app.all("/docs", (c) => {
    requireMethod(c.req.raw, "GET", "HEAD");
    return reference(c.req.raw, deps.assets);
  });
  const routes: Routes = { ...sessionRoutes, ...tagRoutes, ...journeyRoutes, ...feedRoutes, ...auditRoutes };
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const run = serve(name, routes[name] as AnyRoute);
    app.all(path, (c) => {
      const param = (parameter: string) => c.req.param(parameter) ?? "";
      return run({
        ctx: c.var.ctx,
        request: c.req.raw,
        param,
        known: (caller) => c.set("caller", caller),
      });
    });
  }
  app.all("*", (c) => {
    if (isOurs(c.req.path)) throw new ApiError("not_found");
    return serveAsset(c.req.raw, deps.assets, c.var.ctx.settings.theme);
  });
  app.onError((error) => errorAnswer(error));
  return { fetch: (request) => app.fetch(request) };
}

const isOurs = (path: string) => path === "/v2" || path.startsWith("/v2/");

/** What clients elsewhere read: the interface and what it says about itself, but no file of the page. */
const isRead = (path: string) => isOurs(path) || Object.hasOwn(documents, path);

/** What surrounds every request: its context, its one log line, and an answer whatever fails. */
function around(deps: Deps): MiddlewareHandler<App> {
  return async (c, next) => {
    const { ctx, trips, started, bookmark } = await newContext(deps, c.req.raw);
    c.set("ctx", ctx);
    const { response, error } = await settled(c, next);
    for (const [name, value] of ctx.answerHeaders) response.headers.set(name, value);
    const seen = bookmark();
    // Whoever is known may look up what this request saw; how busy the database is concerns nobody else.
    if (seen !== undefined && c.var.caller?.client) response.headers.set(HEADER.bookmark, seen);
    const request = c.req.raw;
    const { caller, document } = c.var;
    await finish(deps, { ctx, request, response, error, caller, document, trips, started });
    // Hono merges headers of a replaced answer; ours is complete already.
    c.res = undefined;
    c.res = response;
  };
}

interface Settled {
  readonly response: Response;
  readonly error: unknown;
}

/** The answer of what lies within, or of whatever else failed: an audit row not written is an answer not given. */
async function settled(c: Context<App>, next: Next): Promise<Settled> {
  try {
    return await answered(c, next);
  } catch (error) {
    return { response: errorAnswer(error), error };
  }
}

/** The answer, a refusal audited, with what a page of another origin may see. */
async function answered(c: Context<App>, next: Next): Promise<Settled> {
  const { ctx } = c.var;
  const request = c.req.raw;
  if (request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method")) {
    return { response: await preflight(ctx, request), error: undefined };
  }
  await next();
  const { error } = c;
  const client = c.var.caller?.client;
  if (error !== undefined) await auditRefusal(ctx, asApiError(error), client);
  const response = new Response(c.res.body, c.res);
  if (isRead(c.req.path) && isCrossOrigin(request)) {
    await permitReading(ctx, request, response.headers, client);
  }
  return { response, error };
}
