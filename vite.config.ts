import { resolve } from "node:path";
import { cloudflare } from "@cloudflare/vite-plugin";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import solid from "vite-plugin-solid";
import { cities } from "./scripts/build/cities.ts";
import { ebtAirports } from "./scripts/build/ebt-airports.ts";
import { chunkFileNames, codeSplitting } from "./web/build/chunks.ts";
import { pwaOptions } from "./web/build/pwa.ts";
import { screenDocuments } from "./web/build/screen-documents.ts";

/** The page, and the reference of the interface at /docs/api. */
const PAGES = { index: resolve("web/index.html"), docs: resolve("web/docs/api.html") };

/** What only defines: where a barrel alone names it, it is left out. */
const DEFINING = ["core", "sdk"].map((folder) => `${resolve(folder)}/`);

export default defineConfig({
  root: "web",
  // One build: the page under dist/client, the Worker under dist/taglatch.
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    // Every browser with Web Bluetooth preloads modules by itself.
    modulePreload: { polyfill: false },
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          input: PAGES,
          treeshake: { moduleSideEffects: (id) => !DEFINING.some((folder) => id.startsWith(folder)) },
          output: { chunkFileNames, codeSplitting },
        },
      },
    },
    // Every start of an isolate parses the Worker. Names stay: log lines say of what kind an error is.
    taglatch: {
      build: {
        minify: true,
        rolldownOptions: { output: { keepNames: true } },
      },
    },
  },
  worker: {
    format: "es",
    rolldownOptions: { output: { entryFileNames: "assets/barcode-reader-[hash].js" } },
  },
  plugins: [
    // Templates pass Trusted Types by the page's own policy.
    solid({ solid: { moduleName: "/trusted-dom.ts" } }),
    // Screenshots of the page alone need no service.
    process.env.TAGLATCH_CLIENT_ONLY === "1"
      ? []
      : cloudflare({
          configPath: "../wrangler.toml",
          inspectorPort: false,
          persistState: { path: resolve(process.env.STATE_DIR || ".wrangler/state") },
        }),
    screenDocuments(),
    cities(),
    ebtAirports(),
    VitePWA(pwaOptions),
  ],
});
