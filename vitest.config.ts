import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { playwright } from "@vitest/browser-playwright";
import solid from "vite-plugin-solid";
import { defineConfig } from "vitest/config";
import { FULL } from "./core/full.test-support.ts";
import { rateLimitBindings } from "./scripts/deploy/wrangler-config.ts";
import { chromiumLaunch } from "./scripts/drivers/chromium.ts";
import { developmentSecrets } from "./scripts/serve/keys.ts";
import { FULL_ONLY } from "./scripts/test/full-only.ts";
import { SlowestFirst } from "./scripts/test/slowest-first.ts";

// Days of flights are days at the airport: daily a zone with summer time west of Greenwich, in full one east of it.
process.env.TZ = FULL ? "Europe/Helsinki" : "America/New_York";
// Tests read what begins with VITE_ alone, in whichever runtime they are.
if (FULL) process.env.VITE_FULL = "1";

const PLATFORM = { compatibilityDate: "2026-11-02", compatibilityFlags: ["nodejs_compat"] };
/** No test is about time: a machine with other work must not fail one. */
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
/** The same generated cases every time, but in full runs. */
const CASES = "core/same-cases.test-support.ts";
const STORAGE = "sdk/test-support/storage.ts";
/** Tests that need Node itself (files, processes) say so in their name. */
const NODE_ONLY = "**/*.node.test.ts";
/** Tests by the clock run alone: `npm run bench -- custody`. */
const TIMED = process.env.VITE_TIMINGS === undefined ? ["**/*.timing.test.ts"] : [];
const LEFT_OUT = FULL ? [] : Object.keys(FULL_ONLY);
/**
 * What of core may differ from runtime to runtime: cryptography in all three, bytes that become text in workerd as well. The
 * rest computes alike everywhere and runs in Node, as do some five hundred messages that the protocol refuses for the same
 * reasons everywhere. Full runs have all of core in all three.
 */
const elsewhere = (folders: string) => ({
  include: [FULL ? "core/**/*.test.ts" : `core/${folders}/**/*.test.ts`],
  exclude: [NODE_ONLY, ...(FULL ? [] : ["core/sec/refusals.test.ts"])],
  setupFiles: [CASES],
});

export default defineConfig({
  test: {
    // All of the machine: the default leaves a core idle, which is half of a small one.
    maxWorkers: "100%",
    // What a green test wrote is of no use.
    silent: "passed-only",
    sequence: { sequencer: SlowestFirst },
    projects: [
      // All that needs neither a page nor workerd: protocol, virtual tags, SDK, tags on the air, scripts. Radio is in virtual time.
      {
        test: {
          ...TOGETHER,
          name: "node",
          include: ["{core,sim,sdk,kit,scripts,e2e}/**/*.test.ts", NODE_ONLY],
          exclude: ["**/node_modules/**", ...LEFT_OUT],
          environment: "node",
          setupFiles: [CASES, STORAGE],
        },
      },
      {
        plugins: [cloudflareTest({ miniflare: PLATFORM })],
        test: {
          ...TOGETHER,
          name: "core-workerd",
          ...elsewhere("{encoding,sec,pki,vectors}"),
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
          ...elsewhere("{sec,pki,vectors}"),
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
      // The page's rules, tables and texts need no page: an environment with one takes longer than their tests. The few that
      // do (`@vitest-environment jsdom`) have it.
      {
        ...SOLID,
        test: {
          ...TOGETHER,
          name: "web",
          include: ["web/**/*.test.ts"],
          environment: "node",
          exclude: [NODE_ONLY],
          setupFiles: [CASES, STORAGE, "web/test-support/first-visit.ts"],
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
    ],
  },
});
