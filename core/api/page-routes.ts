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
