import type { D1Migration } from "cloudflare:test";
import type { Bindings } from "../env.ts";

declare global {
  namespace Cloudflare {
    /** What vitest.config.ts gives the tests: the Worker's own bindings, and the migrations to apply. */
    interface Env extends Bindings {
      readonly TEST_MIGRATIONS: D1Migration[];
    }
  }
}
