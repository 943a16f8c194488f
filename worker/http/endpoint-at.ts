import { type Endpoint, endpoints } from "../../core/api/index.ts";

const patterns = Object.values(endpoints).map((endpoint: Endpoint) => {
  return { endpoint, pattern: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

/** The row of the endpoints table that answers `path`, if one does. */
export const endpointAt = (path: string): Endpoint | undefined =>
  patterns.find(({ pattern }) => pattern.test(path))?.endpoint;
