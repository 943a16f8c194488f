import { defineConfig } from "@playwright/test";
import { FULL } from "./core/full.test-support.ts";
import { launchForTests } from "./e2e/support/browser.ts";
import { FULL_ONLY } from "./scripts/test/full-only.ts";

export default defineConfig({
  testDir: "e2e",
  // Node itself strips the types, in a tenth of the time that Playwright takes to compile.
  build: { external: ["**/*.ts"] },
  testMatch: "**/*.spec.ts",
  // Files and single stories of full runs alone.
  ...(FULL ? {} : { testIgnore: Object.keys(FULL_ONLY).map((path) => `**/${path}`), grepInvert: /@nightly/ }),
  outputDir: "test-results/e2e",
  snapshotPathTemplate: "e2e/references/{arg}{ext}",
  globalSetup: "./e2e/support/build-once.ts",
  fullyParallel: true,
  workers: 2,
  forbidOnly: process.env.CI === "true",
  // No test is about time: a machine with other work must not fail one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: launchForTests(),
    locale: "en-GB",
    timezoneId: FULL ? "Europe/Helsinki" : "America/New_York",
    // What moves takes a fifth of the run. Stories about motion, and one of each of a passenger's ways, say `...MOVING`.
    contextOptions: { reducedMotion: "reduce" },
    viewport: { width: 390, height: 844 },
    // Requests are failed on purpose in some tests: they must reach the test, not a service worker.
    serviceWorkers: "block",
    // Watching every step costs a tenth of the run: `npx playwright test NAME --trace retain-on-failure` does it for one.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
