import { type Handler, Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { type Endpoint, type EndpointName, endpoints } from "../core/api/index.ts";
import { API_PATH } from "../core/api/page-routes.ts";
import { listAuditEvents } from "./audit/events.ts";
import { followEvents } from "./audit/feed.ts";
import { auditRefusal } from "./audit/refusals.ts";
import { documents, openApi, securityText } from "./documents/routes.ts";
import { ApiError } from "./errors.ts";
import { takePayload } from "./feeds/airline-payload.ts";
import { takeMessages } from "./feeds/baggage-messages.ts";
import { serveAsset } from "./http/assets.ts";
import { serve } from "./http/endpoint.ts";
import { errorAnswer } from "./http/error-answer.ts";
import { type Deps, type Routed, surround } from "./http/request.ts";
import type { AnyRoute, App, Routes } from "./http/route.ts";
import { journeyRoutes } from "./journeys/routes.ts";
import { countOutcomes } from "./outcomes.ts";
import { deliverSoon } from "./scheduled/webhooks-soon.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { checkStaff } from "./staff/staff-pin.ts";
import { tagRoutes } from "./tags/routes.ts";

const routes: Routes = {
  ...sessionRoutes,
  staffCheck: checkStaff,
  ...tagRoutes,
  ...journeyRoutes,
  journeysFromAirlinePayload: takePayload,
  baggageSourceMessages: takeMessages,
  auditEvents: listAuditEvents,
  events: followEvents,
  outcomes: countOutcomes,
};

const SECURITY_TEXT: Routed = { path: "/.well-known/security.txt" };
const ELSEWHERE: Routed = { path: "other" };
const OPEN_API: Routed = { path: "/openapi.json" };
const FILE: Routed = { path: "other", isFile: true };

/** Page and SDK load it one after the other; in a browser's own cache alone, so that no other delays a change. */
const CACHING: Readonly<Record<string, Pick<Routed, "caching">>> = {
  "/.well-known/ebt-configuration": { caching: "private, max-age=60, stale-while-revalidate=600" },
};

/**
 * The whole service as one function from request to response. What surrounds
 * a request (`http/request.ts`) and what checks it (`http/endpoint.ts`) both get the matched row.
 */
export function createApp(deps: Deps): {
  fetch(request: Request, platform: App["Bindings"]): Promise<Response> | Response;
} {
  const app = new Hono<App>({ router: new RegExpRouter() });
  // That router finds fixed paths at once, but takes none with a parameter beside them.
  const rest = new Hono<App>();
  const middleware = surround(deps, auditRefusal, deliverSoon);
  for (const [path, document] of Object.entries(documents)) {
    app.get(path, middleware({ path, ...CACHING[path] }), async (c) => c.json(await document(c.get("ctx"))));
    app.all(path, middleware({ path }), allowOnly("GET, HEAD"));
  }
  app.get(OPEN_API.path, middleware(OPEN_API), (c) => openApi(c.req.raw, deps.assets));
  app.all(OPEN_API.path, middleware(OPEN_API), allowOnly("GET, HEAD"));
  app.get(SECURITY_TEXT.path, middleware(SECURITY_TEXT), (c) => securityText(c.get("ctx")));
  app.all(SECURITY_TEXT.path, middleware(SECURITY_TEXT), allowOnly("GET, HEAD"));
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const router = path === endpoint.path ? app : rest;
    router.post(path, middleware(endpoint), serve(name, routes[name] as AnyRoute));
    router.all(path, middleware(endpoint), allowOnly("POST"));
  }
  rest.all("*", middleware(ELSEWHERE), () => {
    throw new ApiError("not_found");
  });
  app.all(`${API_PATH}/*`, (c) => rest.fetch(c.req.raw, c.env));
  app.all("*", middleware(FILE), (c) => serveAsset(c.req.raw, deps.assets, deps.settings.theme));
  for (const router of [app, rest]) router.onError((error) => errorAnswer(error));
  return app;
}

/** Refuses every method except those of `Allow`. */
function allowOnly(methods: string): Handler<App> {
  return () => {
    throw new ApiError("method_not_allowed", { headers: { Allow: methods } });
  };
}
