import { defineConfig } from "@playwright/test";
import { launchForTests } from "./e2e/support/browser.ts";

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results/e2e",
  snapshotPathTemplate: "e2e/references/{arg}{ext}",
  globalSetup: "./e2e/support/build-once.ts",
  fullyParallel: true,
  workers: 2,
  forbidOnly: process.env.CI === "true",
  // Nobody's test is about time: a machine with other work must not fail one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: launchForTests(),
    locale: "en-GB",
    viewport: { width: 390, height: 844 },
    // Requests are failed on purpose in some tests: they must reach the test, not a service worker.
    serviceWorkers: "block",
    // Without the film, which costs a third of the whole run: the page itself is in the trace at every step.
    trace: { mode: "retain-on-failure", screenshots: false },
    screenshot: "only-on-failure",
  },
});
