import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { playwright } from "@vitest/browser-playwright";
import solid from "vite-plugin-solid";
import { defineConfig } from "vitest/config";
import { rateLimitBindings } from "./scripts/check/rate-limit-bindings.ts";
import { chromiumLaunch } from "./scripts/drivers/chromium.ts";
import { developmentSecrets } from "./scripts/serve/development-secrets.ts";

// Days of flights are days at the airport: by day a zone with summer time west of Greenwich, by night one east of it.
process.env.TZ = process.env.VITE_NIGHT === undefined ? "America/New_York" : "Europe/Helsinki";

const PLATFORM = { compatibilityDate: "2026-11-02", compatibilityFlags: ["nodejs_compat"] };
/** Nobody's test is about time: a machine with other work must not fail one. */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000 };
/**
 * Files that share a runtime and its modules: starting it and loading them costs more than a file's tests. None leans on
 * what another left: `vitest run --sequence.shuffle.files` has them in any order, and the set-up of `worker` makes each
 * file a new world.
 */
const TOGETHER = { ...PATIENCE, isolate: false };
const SOLID = { plugins: [solid()], resolve: { conditions: ["development", "browser"] } };
/** One copy of Solid for the page, its router and the testing library. */
const ONE_SOLID = [/solid-js/, /@solidjs/];
/** The same made-up cases every time, but by night. */
const CASES = "core/same-cases.test-support.ts";
/** Tests that need Node itself (files, processes) say so in their name. */
const NODE_ONLY = "**/*.node.test.ts";
/**
 * What may differ from runtime to runtime: cryptography, and bytes that become text. The rest of core computes alike
 * everywhere and runs in Node; all of it runs in all three by night (`npm run nightly -- core`).
 */
const CORE_ELSEWHERE =
  process.env.CORE_EVERYWHERE === undefined
    ? ["core/{encoding,sec,pki,vectors}/**/*.test.ts"]
    : ["core/**/*.test.ts"];
/** Some five hundred messages that the protocol refuses, for the same reasons everywhere: by night in all three as well. */
const ALIKE = process.env.CORE_EVERYWHERE === undefined ? ["core/sec/refusals.test.ts"] : [];
/** Start Vitest, wrangler and workerd for themselves: by night, `npm run nightly -- tools`. */
const TOOLS =
  process.env.TOOLS === undefined
    ? [
        "scripts/deploy/rehearsal.test.ts",
        "scripts/ops/restore-drill.test.ts",
        "scripts/ops/wrangled.test.ts",
        "scripts/release/two-releases.test.ts",
      ]
    : [];
/** Tests by the clock run alone, where somebody asks for them: `npm run bench -- custody`, `npm run nightly`. */
const TIMED = process.env.VITE_TIMINGS === undefined ? ["**/*.timing.test.ts"] : [];

export default defineConfig({
  test: {
    // All of the machine: the default leaves a core idle, which is half of a small one.
    maxWorkers: "100%",
    // What a green test wrote helps nobody.
    silent: "passed-only",
    projects: [
      {
        test: {
          ...TOGETHER,
          name: "core-node",
          include: ["core/**/*.test.ts"],
          environment: "node",
          setupFiles: [CASES],
        },
      },
      {
        plugins: [cloudflareTest({ miniflare: PLATFORM })],
        test: {
          ...TOGETHER,
          name: "core-workerd",
          include: CORE_ELSEWHERE,
          exclude: [NODE_ONLY, ...ALIKE],
          setupFiles: [CASES],
        },
      },
      {
        // Named, so that the first run in a fresh checkout does not find them halfway and reload its page.
        optimizeDeps: {
          include: [
            "@noble/curves/ed25519.js",
            "@noble/curves/nist.js",
            "@peculiar/x509",
            "bcbp",
            "fast-check",
            "reflect-metadata/lite",
            "valibot",
          ],
        },
        test: {
          ...TOGETHER,
          name: "core-chromium",
          include: CORE_ELSEWHERE,
          exclude: [NODE_ONLY, ...ALIKE],
          setupFiles: [CASES],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromiumLaunch() }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
      {
        // The service where it runs: workerd, a real D1 with the real migrations, fresh secrets.
        plugins: [
          cloudflareTest(async () => ({
            main: "./worker/test-support/near-main.ts",
            miniflare: {
              ...PLATFORM,
              d1Databases: ["DB"],
              r2Buckets: ["ARCHIVE"],
              durableObjects: { NEAR_STORAGE: { className: "NearStorage", useSQLite: true } },
              ratelimits: rateLimitBindings(),
              bindings: {
                ...(await developmentSecrets()),
                // A busy machine's host is slow, and yet no fault.
                HOST_KEYS_TIMEOUT_MILLISECONDS: "30000",
                TEST_MIGRATIONS: await readD1Migrations("db/migrations"),
                TEST_OLDER_ROWS: await readD1Migrations("db/older"),
              },
            },
          })),
        ],
        test: {
          ...TOGETHER,
          name: "worker",
          include: ["worker/**/*.test.ts", "db/**/*.test.ts"],
          exclude: [NODE_ONLY, ...TIMED],
          setupFiles: [CASES, "worker/test-support/migrate.ts"],
          globalSetup: ["scripts/test/test-support/provide-host-issuer.ts"],
        },
      },
      // Virtual tags know no page.
      {
        test: {
          ...TOGETHER,
          name: "sim",
          include: ["sim/**/*.test.ts"],
          environment: "node",
          setupFiles: [CASES],
        },
      },
      // The whole SDK over every kind of radio, in virtual time. More by night: VITE_RUNS, VITE_WALKS.
      {
        test: {
          ...TOGETHER,
          name: "radio",
          include: ["sdk/radio/**/*.test.ts"],
          environment: "node",
          setupFiles: [CASES, "sdk/test-support/storage.ts"],
        },
      },
      // The SDK and a tag over two host stacks and two controllers without a radio.
      {
        test: {
          ...TOGETHER,
          name: "kit",
          include: ["kit/**/*.test.ts"],
          exclude: [NODE_ONLY],
          environment: "node",
          setupFiles: ["sdk/test-support/storage.ts"],
        },
      },
      // The rest of the SDK knows no page either.
      {
        test: {
          ...TOGETHER,
          name: "sdk",
          include: ["sdk/**/*.test.ts"],
          exclude: ["sdk/radio/**"],
          environment: "node",
          setupFiles: ["sdk/test-support/storage.ts"],
        },
      },
      // The page's rules, tables and texts need no page: an environment with one takes longer than their tests. The few that
      // do (`@vitest-environment jsdom`) have it.
      {
        ...SOLID,
        test: {
          ...TOGETHER,
          name: "web",
          include: ["web/**/*.test.ts"],
          environment: "node",
          setupFiles: [CASES, "sdk/test-support/storage.ts", "web/test-support/first-visit.ts"],
          server: { deps: { inline: ONE_SOLID } },
        },
      },
      // Its screens. Each file has a page of its own: what a screen has loaded stays loaded. A context for each costs half of
      // what a process for each does.
      {
        ...SOLID,
        test: {
          ...PATIENCE,
          name: "page",
          include: ["web/**/*.test.tsx"],
          environment: "jsdom",
          pool: "vmThreads",
          setupFiles: ["web/test-support/patience.ts"],
          server: { deps: { inline: ONE_SOLID } },
        },
      },
      {
        test: {
          ...TOGETHER,
          name: "scripts",
          include: ["scripts/**/*.test.ts", "e2e/**/*.test.ts", "**/*.node.test.ts"],
          exclude: ["core/**", "**/node_modules/**", ...TOOLS],
          environment: "node",
        },
      },
    ],
  },
});
