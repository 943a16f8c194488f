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
