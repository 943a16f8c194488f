/** The page's routes, as its router takes them: `:name` is one segment, `:name?` one or none. */
export const PAGE_ROUTES = [
  "/",
  "/find",
  "/journeys/:journeyId",
  "/journeys/:journeyId/bags/:baggageId",
  "/journeys/:journeyId/with",
  "/with",
  "/t/:deviceId?",
  "/scan",
  "/handover",
  "/clear",
  "/conformance",
  "/diagnostics",
  "/kiosk",
  "/kiosk/setup",
] as const;
export type PageRoute = (typeof PAGE_ROUTES)[number];

const patternOf = (route: string) =>
  new RegExp(
    `^${route
      .replace(/\/:\w+\?/, "(?:/[^/]+)?")
      .replace(/:\w+/g, "[^/]+")
      .replace(/\/$/, "")}/?$`,
    "i",
  );

/** The page's route of `pathname`, as its router matches: in any case, with or without a slash at the end. */
export const pageRouteOf = (pathname: string): PageRoute | undefined =>
  PAGE_ROUTES.find((route) => patternOf(route).test(pathname));

/**
 * Which paths of an origin belong to the service, and which to the page. The service answers below each of
 * these, and the page has no screen there: wrangler.toml sends them to the Worker, and the page's service
 * worker leaves them alone.
 */
export const SERVICE_PATHS = [
  "/v2",
  "/.well-known",
  "/openapi.json",
  "/healthz",
  "/demo",
  // The build's documents of single screens: the Worker answers with them at the screens' own paths.
  "/screens",
] as const;

/**
 * Every endpoint of the table is below this path; any other path below it answers with an ErrorResponse, too.
 */
export const API_PATH = SERVICE_PATHS[0];

/** Whether `pathname` is one of the service's paths, or below one. */
export const isServicePath = (pathname: string): boolean =>
  SERVICE_PATHS.some((path) => pathname === path || pathname.startsWith(`${path}/`));
