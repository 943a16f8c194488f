import type { D1Migration } from "cloudflare:test";
import type { Bindings } from "../config/env.ts";

declare module "vitest" {
  /** What runs beside the tests in Node: `scripts/test/test-support/provide-host-issuer.ts`. */
  interface ProvidedContext {
    readonly hostIssuer: string;
  }
}

declare global {
  /** VITE_TIMINGS of `npm run bench -- custody`. */
  interface ImportMeta {
    readonly env: Readonly<Record<`VITE_${string}`, string | undefined>>;
  }
  namespace Cloudflare {
    /** What vitest.config.ts gives the tests: the Worker's own bindings, and the migrations to apply. */
    interface Env extends Bindings {
      readonly TEST_MIGRATIONS: D1Migration[];
      /** Rows of older databases, under the name of the migration that was their newest. */
      readonly TEST_OLDER_ROWS: D1Migration[];
      readonly NEAR_STORAGE: DurableObjectNamespace;
    }
    interface GlobalProps {
      readonly mainModule: typeof import("../index.ts");
    }
  }
}
