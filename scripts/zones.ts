/**
 * Who may import whom, as one table. A file belongs to the zone with the longest path prefix it has; it
 * may import its own zone, the zones listed and the packages listed, and nothing else. Tests of a zone may
 * use more (`testMay`, TEST_PACKAGES): they stand outside the wall they test.
 */
export interface Zone {
  /** Path prefix: of a folder, a file, or several files of one name ("core/sec/token"). */
  readonly path: string;
  /** Zones by path. */
  readonly may: readonly string[];
  /** Package names; a trailing "/*" allows deep imports too. */
  readonly packages: readonly string[];
  readonly testMay?: readonly string[];
  /** Type-only imports from these zones. */
  readonly mayTypes?: readonly string[];
}

export const TEST_PACKAGES = [
  "vitest",
  "fast-check",
  "cloudflare:test",
  "cloudflare:workers",
  "@solidjs/testing-library",
  "fake-indexeddb/auto",
  "node:*",
];

const CORE = ["core/bytes.ts", "core/cursor.ts"];
const CORE_ALL = [
  ...CORE,
  "core/api/",
  "core/bag/",
  "core/gatt/",
  "core/pki/",
  "core/sec/token",
  "core/sec/errors.ts",
  "core/sec/cbor.ts",
  "core/sec/",
];

export const ZONES: readonly Zone[] = [
  { path: "core/bytes.ts", may: [], packages: [] },
  { path: "core/cursor.ts", may: ["core/bytes.ts"], packages: [] },
  { path: "core/vectors/", may: [], packages: [] },
  // How many cases a property is tried with: few, or a night's many.
  { path: "core/cases.test-support.ts", may: [], packages: [] },
  { path: "core/api/", may: CORE, packages: ["valibot"], testMay: CORE_ALL },
  { path: "core/gatt/", may: CORE, packages: [], testMay: CORE_ALL },
  {
    path: "core/bag/",
    may: [...CORE, "core/sec/cbor.ts", "core/sec/"],
    mayTypes: ["core/api/"],
    packages: ["bcbp"],
    testMay: ["core/vectors/", "core/api/", "core/cases.test-support.ts"],
  },
  {
    path: "core/pki/",
    may: [...CORE, "core/sec/errors.ts"],
    packages: ["@peculiar/x509", "reflect-metadata/lite"],
    testMay: ["core/vectors/", ...CORE_ALL],
  },
  // The secure session knows nothing of certificates' profiles, bags or HTTP.
  { path: "core/sec/errors.ts", may: [...CORE, "core/gatt/"], packages: [] },
  // Deterministic CBOR, which attestations of platforms are written in as well.
  { path: "core/sec/cbor.ts", may: CORE, packages: [] },
  {
    path: "core/sec/token",
    may: [...CORE, "core/gatt/", "core/sec/errors.ts", "core/sec/cbor.ts", "core/sec/"],
    packages: [],
    testMay: ["core/vectors/", "core/pki/"],
  },
  {
    path: "core/sec/",
    may: [...CORE, "core/gatt/", "core/sec/errors.ts", "core/sec/cbor.ts"],
    packages: ["@noble/curves/*"],
    testMay: ["core/vectors/", "core/pki/", "core/sec/token", "core/cases.test-support.ts"],
  },
  { path: "core/", may: CORE_ALL, packages: ["vitest"] },

  {
    path: "db/",
    may: [...CORE, "core/bag/", "core/api/", "core/pki/"],
    packages: ["drizzle-orm/*", "drizzle-orm", "valibot", "node:crypto"],
    testMay: CORE_ALL,
  },

  // HTTP only: the rules live in services.
  {
    path: "worker/routes/",
    may: [...CORE, "core/api/", "worker/", "worker/services/", "worker/attestation/"],
    packages: ["hono", "hono/*"],
  },
  {
    path: "worker/services/",
    may: [
      ...CORE,
      "core/api/",
      "core/pki/",
      "core/sec/token",
      "core/sec/errors.ts",
      "core/bag/",
      "db/",
      "worker/",
      "worker/attestation/",
    ],
    packages: ["drizzle-orm", "drizzle-orm/*", "jose", "node:crypto"],
    testMay: ["worker/test-support/", "worker/routes/", ...CORE_ALL],
  },
  {
    path: "worker/attestation/",
    may: [...CORE, "core/api/", "core/pki/", "core/sec/cbor.ts", "core/sec/errors.ts", "db/", "worker/"],
    packages: ["jose", "valibot", "@simplewebauthn/server", "reflect-metadata/lite"],
    testMay: ["worker/test-support/", "core/vectors/"],
  },
  {
    path: "worker/test-support/",
    may: [
      ...CORE_ALL,
      "worker/",
      "worker/routes/",
      "worker/services/",
      "worker/attestation/",
      "db/",
      "scripts/dev-secrets.ts",
    ],
    packages: [
      "hono",
      "jose",
      "drizzle-orm",
      "vitest",
      "cloudflare:test",
      "cloudflare:workers",
      "node:*",
      // Makes the chains of platforms.
      "@peculiar/x509",
      "reflect-metadata/lite",
      // Reads a JSON schema where code may not be compiled at run time.
      "@cfworker/json-schema",
    ],
  },
  {
    path: "worker/",
    may: [
      ...CORE,
      "core/api/",
      "core/pki/",
      "core/sec/token",
      "core/bag/",
      "core/gatt/",
      "db/",
      "worker/routes/",
      "worker/services/",
      "worker/attestation/",
    ],
    packages: [
      "hono",
      "hono/*",
      "jose",
      "drizzle-orm",
      "drizzle-orm/*",
      "valibot",
      "@valibot/to-json-schema",
      "reflect-metadata/lite",
      "node:crypto",
      "cloudflare:workers",
    ],
    testMay: ["worker/test-support/", ...CORE_ALL, "scripts/dev-secrets.ts"],
  },

  {
    path: "web/sdk/ble/",
    may: [...CORE, "core/gatt/", "core/sec/", "core/sec/errors.ts", "web/sdk/"],
    packages: [],
    testMay: [...CORE_ALL, "web/sim/"],
  },
  {
    path: "web/sdk/",
    may: [...CORE_ALL, "web/sdk/ble/"],
    packages: ["idb", "jose"],
    testMay: ["web/sim/", "db/", "worker/"],
  },
  // A tag maker's checks: the protocol by hand, over the SDK's radio. Entered by import() only.
  {
    path: "web/conformance/",
    may: [...CORE_ALL, "web/sdk/ble/", "web/sdk/"],
    packages: [],
    testMay: ["web/sim/", "web/i18n/", "web/conformance/test-support/good-tag.ts"],
  },
  // What the checks say of a good tag: held against Node's Web Bluetooth and a browser's.
  { path: "web/conformance/test-support/good-tag.ts", may: [], packages: [] },
  // The reference at /docs: a page of its own, with a viewer that is not ours.
  { path: "web/reference/", may: [], packages: ["swagger-ui-dist/*"] },
  // The simulator must not share the client's bugs: it never sees the SDK.
  { path: "web/sim/", may: CORE_ALL, packages: [], testMay: ["core/vectors/", "db/"] },
  { path: "web/ui/", may: [], packages: ["solid-js", "solid-js/*", "jsbarcode/*"] },
  {
    path: "web/i18n/",
    may: ["core/api/"],
    mayTypes: ["web/sdk/"],
    packages: ["solid-js", "@solid-primitives/i18n"],
  },
  {
    path: "web/state/",
    testMay: ["web/test-support/"],
    may: [
      ...CORE_ALL,
      "web/watch-updates.ts",
      "web/job-lock",
      "web/background-sync.ts",
      "web/scan/",
      "web/sdk/",
      "web/i18n/",
    ],
    packages: ["solid-js", "solid-js/*", "@solidjs/router", "idb"],
  },
  // The virtual tags' panel: entered by import() only, like the simulator it shows.
  {
    path: "web/pages/sim/",
    may: [...CORE_ALL, "web/sim/", "web/pages/", "web/ui/", "web/i18n/"],
    packages: ["solid-js", "solid-js/*", "@solidjs/router"],
  },
  // What this browser can do is asked of the one file that knows its radio.
  {
    path: "web/pages/diagnostics/",
    may: ["web/sdk/ble/", "web/sdk/", "web/state/", "web/pages/", "web/ui/", "web/i18n/"],
    packages: ["solid-js", "solid-js/*"],
    testMay: ["web/test-support/"],
  },
  {
    path: "web/pages/",
    may: [...CORE_ALL, "web/sdk/", "web/state/", "web/ui/", "web/i18n/"],
    packages: ["solid-js", "solid-js/*", "@solidjs/router"],
    mayTypes: ["web/sim/", "web/conformance/"],
    testMay: ["web/", "web/test-support/"],
  },
  // Staff do what passengers do: the parts of a job at a tag are the pages'. No router: a kiosk has one address.
  {
    path: "web/kiosk/",
    may: [
      ...CORE_ALL,
      "web/watch-updates.ts",
      "web/sdk/",
      "web/state/",
      "web/pages/",
      "web/ui/",
      "web/i18n/",
    ],
    packages: ["solid-js", "solid-js/*", "idb"],
    testMay: ["web/", "web/test-support/"],
  },
  // Words between page and service worker.
  { path: "web/service-worker/messages.ts", may: [], packages: [] },
  {
    path: "web/service-worker/",
    may: ["web/service-worker/messages.ts", "web/sdk/"],
    packages: ["workbox-precaching", "workbox-routing"],
  },
  {
    path: "web/watch-updates.ts",
    may: ["web/service-worker/messages.ts", "web/trusted-types.ts", "web/job-lock"],
    packages: [],
  },
  { path: "web/job-lock", may: [], packages: [] },
  { path: "web/background-sync.ts", may: ["web/service-worker/messages.ts"], packages: [] },
  { path: "web/trusted-types.ts", may: [], packages: [] },
  // Compiled JSX imports it (vite.config.ts); nobody may do so by hand, so no zone lists it.
  { path: "web/trusted-dom.ts", may: ["web/trusted-types.ts"], packages: ["solid-js/web"] },
  // Camera and barcode reader, for passengers and kiosks; entered by import() only.
  { path: "web/scan/", may: ["web/trusted-types.ts"], packages: ["zxing-wasm/*"] },
  {
    path: "web/test-support/",
    may: [...CORE_ALL, "web/", "web/sdk/", "web/state/", "web/pages/", "web/i18n/"],
    packages: ["solid-js", "solid-js/*", "@solidjs/router"],
  },
  // Read by the build, not by the page.
  { path: "web/pwa.ts", may: [], packages: ["vite-plugin-pwa"] },
  { path: "web/chunks.ts", may: [], packages: [] },
  { path: "web/screen-documents.ts", may: [], packages: ["vite"] },
  {
    path: "web/",
    may: [
      ...CORE_ALL,
      "web/watch-updates.ts",
      "web/background-sync.ts",
      "web/sdk/",
      "web/state/",
      "web/pages/",
      "web/kiosk/",
      "web/ui/",
      "web/i18n/",
    ],
    packages: ["solid-js", "solid-js/*", "@solidjs/router"],
    mayTypes: ["web/sim/"],
    testMay: ["web/sim/", "web/test-support/"],
  },

  {
    path: "e2e/",
    may: [
      ...CORE_ALL,
      "web/sim/",
      "web/i18n/",
      "web/conformance/test-support/good-tag.ts",
      "db/",
      "scripts/",
    ],
    packages: [
      "playwright",
      "@playwright/test",
      "@axe-core/playwright",
      "axe-core",
      "sharp",
      "bwip-js/node",
      "jose",
      "vite",
      "node:*",
    ],
    mayTypes: ["web/sdk/"],
  },
  // Benches count what the SDK does; nothing they import reaches a product.
  {
    path: "scripts/bench/",
    may: [...CORE_ALL, "web/sdk/", "web/sim/", "scripts/", "e2e/"],
    packages: ["playwright", "lighthouse", "puppeteer-core", "vite", "@cloudflare/workers-types", "node:*"],
  },
  // Faults put into the code, and the tests that must see them: Vitest from within.
  {
    path: "scripts/mutants/",
    may: ["scripts/", "scripts/bench/", ""],
    packages: ["vite", "vitest", "vitest/*", "oxc-parser", "node:*"],
  },
  // What an operator does to a deployment's database and keys.
  {
    path: "scripts/ops/",
    may: [...CORE_ALL, "db/", "scripts/"],
    packages: [
      "drizzle-orm",
      "drizzle-orm/*",
      "@cloudflare/workers-types",
      "miniflare",
      "wrangler",
      "node:*",
    ],
  },
  {
    path: "scripts/",
    may: [
      ...CORE_ALL,
      "scripts/bench/",
      "scripts/mutants/",
      "scripts/ops/",
      "core/vectors/",
      "db/",
      "web/sim/",
      "web/i18n/",
      "e2e/",
    ],
    testMay: ["web/sdk/ble/", "web/ui/"],
    packages: [
      "playwright",
      "miniflare",
      "@cloudflare/workers-types",
      "wrangler",
      "vite",
      "vitest/*",
      "oxc-parser",
      "jose",
      "oidc-provider",
      "vitest",
      "drizzle-orm/*",
      "@noble/curves/*",
      "node:*",
    ],
  },
  // Configuration at the top names its tools.
  {
    path: "",
    may: ["scripts/", "e2e/", "web/chunks.ts", "web/pwa.ts", "web/screen-documents.ts"],
    packages: [
      "vite",
      "vite/*",
      "vitest/*",
      "vite-plugin-solid",
      "vite-plugin-pwa",
      "@cloudflare/*",
      "@vitest/*",
      "@playwright/test",
      "drizzle-kit",
      "node:*",
    ],
  },
];

/** Zones that may be entered by `import()` only, from anywhere under the path: they stay out of the main chunk. */
export const DYNAMIC_ONLY: readonly { zone: string; from: readonly string[] }[] = [
  { zone: "web/sim/", from: ["web/"] },
  { zone: "web/pages/sim/", from: ["web/"] },
  { zone: "web/pages/diagnostics/", from: ["web/"] },
  { zone: "web/conformance/", from: ["web/pages/"] },
  { zone: "web/scan/", from: ["web/state/", "web/kiosk/"] },
];
