import { pageRouteOf, SERVICE_PATHS } from "../../core/api/page-routes.ts";

/** Beside the service's: files of the build, and its documents: statements, and the site at /docs. */
const NETWORK = [...SERVICE_PATHS, "/assets", "/docs", "/privacy", "/accessibility"];

/**
 * Who answers a navigation: `page` the cached page, `network` the network alone, `unknown` the network, which may have a
 * newer version's route there, and offline the cached page as not found.
 */
export function answererOf(pathname: string): "page" | "network" | "unknown" {
  if (NETWORK.some((path) => pathname === path || pathname.startsWith(`${path}/`))) return "network";
  const route = pageRouteOf(pathname);
  // The hand-over has headers of its own.
  if (route === "/handover") return "network";
  return route === undefined ? "unknown" : "page";
}
