import { type Handler, Hono } from "hono";
import { type Endpoint, type EndpointName, endpoints } from "../core/api/index.ts";
import { API_PATH } from "../core/api/paths.ts";
import { auditRoutes } from "./audit/routes.ts";
import { reference } from "./documents/reference.ts";
import { documents } from "./documents/routes.ts";
import { ApiError, errorAnswer } from "./errors.ts";
import { feedRoutes } from "./feeds/routes.ts";
import { serveAsset } from "./http/assets.ts";
import { serve } from "./http/endpoint.ts";
import { around, type Deps, type Routed } from "./http/request.ts";
import type { AnyRoute, App, Routes } from "./http/route.ts";
import { journeyRoutes } from "./journeys/routes.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { tagRoutes } from "./tags/routes.ts";

const routes: Routes = { ...sessionRoutes, ...tagRoutes, ...journeyRoutes, ...feedRoutes, ...auditRoutes };

const ELSEWHERE: Routed = { path: "other" };
const FILE: Routed = { path: "other", isFile: true };

/**
 * The whole service as one function from request to response. The router matches a path once. What surrounds
 * a request (`http/request.ts`) and what checks it (`http/endpoint.ts`) both get the matched row.
 */
export function createApp(deps: Deps): { fetch(request: Request): Promise<Response> | Response } {
  const app = new Hono<App>();
  for (const [path, document] of Object.entries(documents)) {
    app.get(path, around(deps, { path }), async (c) => c.json(await document(c.var.ctx)));
    app.all(path, around(deps, { path }), allowOnly("GET, HEAD"));
  }
  app.get("/docs", around(deps, FILE), (c) => reference(c.req.raw, deps.assets));
  app.all("/docs", around(deps, FILE), allowOnly("GET, HEAD"));
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    app.post(path, around(deps, endpoint), serve(name, routes[name] as AnyRoute));
    app.all(path, around(deps, endpoint), allowOnly("POST"));
  }
  app.all(`${API_PATH}/*`, around(deps, ELSEWHERE), () => {
    throw new ApiError("not_found");
  });
  app.all("*", around(deps, FILE), (c) => serveAsset(c.req.raw, deps.assets, deps.settings.theme));
  app.onError((error) => errorAnswer(error));
  return app;
}

/** Refuses every method except those of `Allow`. */
function allowOnly(methods: string): Handler<App> {
  return () => {
    throw new ApiError("method_not_allowed", { headers: { Allow: methods } });
  };
}
