import { resolve } from "node:path";
import { cloudflare } from "@cloudflare/vite-plugin";
import { defineConfig } from "vite";
import { VitePWA, type VitePWAOptions } from "vite-plugin-pwa";
import solid from "vite-plugin-solid";
import { places } from "./scripts/build/places.ts";
import { screenDocuments } from "./web/build/screen-documents.ts";

/** The page, and the reference of the interface at /docs/api. */
const PAGES = { index: resolve("web/index.html"), docs: resolve("web/docs/api.html") };

/** Virtual tags are in chunks with their own name, so that a script can prove they are in no other. */
function chunkFileNames(chunk: { readonly moduleIds: readonly string[] }): string {
  const simulated = chunk.moduleIds.some((id) =>
    /\/sim\/|\/web\/(desk\/virtual-tags\/|i18n\/pseudo\.ts)/.test(id),
  );
  if (simulated) return "assets/sim-[name]-[hash].js";
  if (chunk.moduleIds.some((id) => id.includes("/web/desk/diagnostics/")))
    return "assets/diagnostics-[name]-[hash].js";
  // The checks for tag makers, and the issuing code that only they load.
  const desk = chunk.moduleIds.some((id) =>
    /\/(?:web\/desk|kit)\/conformance\/|\/core\/pki\/issue\.ts/.test(id),
  );
  if (desk) return "assets/conformance-[name]-[hash].js";
  const folder = extraFolder(chunk.moduleIds);
  return folder === undefined ? "assets/[name]-[hash].js" : `assets/${folder}/[name]-[hash].js`;
}

/** Where files are that not every visitor needs: a page asks its service worker for them (`extra-files.ts`). */
function extraFolder(moduleIds: readonly string[]): string | undefined {
  const [, language, part] = /\/web\/i18n\/([a-z]{2})[-/](\w+)\.(?:ts|json)$/.exec(moduleIds[0] ?? "") ?? [];
  if (language !== undefined) return `${part === "kiosk" ? "kiosk" : "words"}/${language}`;
  return moduleIds.some((id) => id.includes("/web/kiosk/")) ? "kiosk" : undefined;
}

/**
 * On a slow network every request costs more than its bytes. So what the first drawing needs is one file, and
 * the small modules that several screens use are two files instead of twenty.
 */
const TOGETHER = [
  {
    name: "page",
    // The reference at /docs/api is an entry of its own.
    test: (id: string) => !/swagger|\/web\/(?:reference\/|docs)/.test(id),
    tags: ["$initial" as const],
  },
  {
    name: "tag",
    test: /\/jsbarcode\/|\/web\/ui\/(?:TagDrawing|Dialog|FlightLine)\.|\/web\/job\/(?:journey-view|create-remembered|Remedy)\.|\/web\/pages\/(?:TagLinks|Forget|AskDialog)\.|\/web\/state\/create-journey-load\.|\/core\/encoding\/(?:bytes|cbor)\.ts|\/core\/gatt\/tag-name\.ts|\/core\/bag\/(?:errors|licence-plate|payload|ticket-payload)\.ts/,
  },
  {
    name: "job",
    test: /\/web\/ui\/Progress\.|\/web\/pages\/JobView\.tsx|\/web\/job\/(?:Job\w+|ChooserAdvice|guide-chooser|job-\w+|tag-job|(?:create|run)-tag-job)\.|\/sdk\/types\.ts/,
  },
  {
    // One tap in a hundred needs one of them, and each is smaller than a request.
    name: "rare",
    test: /\/web\/pages\/(?:RareBagActions|TraceDialog|AddBagDialog)\./,
  },
];

/** Rolldown's `codeSplitting`. */
const codeSplitting = {
  groups: TOGETHER.map((group) => ({ ...group, includeDependenciesRecursively: false })),
};

/**
 * The page is installable and starts offline. An update waits until the person agrees, and
 * never comes during a job.
 */
const pwaOptions: Partial<VitePWAOptions> = {
  registerType: "prompt",
  injectRegister: null,
  strategies: "injectManifest",
  srcDir: "service-worker",
  filename: "sw.ts",
  manifest: {
    id: "/",
    name: "Taglatch",
    short_name: "Taglatch",
    description: "Put your bag label on an electronic bag tag, straight from this page.",
    start_url: "/",
    display: "standalone",
    background_color: "#f5f4f0",
    theme_color: "#f5f4f0",
    categories: ["travel"],
    icons: [
      { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
      { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
    ],
    shortcuts: [
      { name: "Write to tag", url: "/t" },
      { name: "Clear a tag", url: "/clear" },
    ],
  },
  // A system that installs the page loads them itself.
  includeManifestIcons: false,
  injectManifest: {
    globPatterns: ["**/*.{html,js,css,svg}"],
    // Offline passengers do not need virtual tags, checks and the barcode reader.
    globIgnores: [
      "**/sim-*",
      "**/SimPanel-*",
      "**/conformance-*",
      "**/ConformancePage-*",
      "**/diagnostics-*",
      "**/DiagnosticsPage-*",
      "**/barcode-reader-*",
      // Nothing is counted offline.
      "**/outcomes-*",
      // The service worker answers every screen with one document.
      "screens/**",
      // Statements are read online.
      "{privacy,accessibility}.html",
      "{documents,tokens}.css",
      // The site at /docs, and the API reference's files.
      "docs.html",
      "docs/**",
      "**/docs-*",
    ],
  },
};

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
        rolldownOptions: { input: PAGES, output: { chunkFileNames, codeSplitting } },
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
    places(),
    VitePWA(pwaOptions),
  ],
});
