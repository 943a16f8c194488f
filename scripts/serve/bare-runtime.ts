import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

/** A runtime that serves nothing, for a database without a service; `options` are Miniflare's own. */
export const bareRuntime = (options: object = {}): Miniflare =>
  new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: "export default {}", d1Databases: ["DB"] },
      ...{ telemetry: { enabled: false }, cf: false, ...options },
    }),
  );

export const databaseOf = async (miniflare: Miniflare): Promise<D1Database> =>
  (await miniflare.getD1Database("DB")) as unknown as D1Database;
