/** Paths of the page, one at least for each route, as people and links write them. */
export const PAGE_PATHS = [
  ...[
    "/",
    "/find",
    "/journeys/j1",
    "/journeys/j1/bags/2",
    "/journeys/j1/with",
    "/with",
    "/t",
    "/t/tag-1.v21",
  ],
  ...["/scan", "/handover", "/clear", "/conformance", "/diagnostics", "/kiosk", "/kiosk/setup"],
  ...["/clear/", "/t/", "/Clear", "/JOURNEYS/j1", "/t/a%2Fb"],
] as const;
