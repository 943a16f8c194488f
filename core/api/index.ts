/** The HTTP contract as data: records, endpoints, errors, limits. The one barrel beside the SDK's entrance. */
export * from "./acceptance.ts";
export * from "./audit.ts";
export * from "./calls.ts";
export * from "./configuration.ts";
export * from "./delegations.ts";
export * from "./endpoints.ts";
export * from "./error-codes.ts";
export * from "./errors.ts";
export * from "./events.ts";
export * from "./feeds.ts";
export * from "./journeys.ts";
export * from "./limits.ts";
export * from "./outcomes.ts";
export * from "./parse.ts";
export * from "./sessions.ts";
export * from "./tags.ts";
export * from "./traces.ts";
