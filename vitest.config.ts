import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { playwright } from "@vitest/browser-playwright";
import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "core-node", include: ["core/**/*.test.ts"], environment: "node" } },
      {
        plugins: [cloudflareTest({ miniflare: { compatibilityDate: "2026-11-02", compatibilityFlags: ["nodejs_compat"] } })],
        test: { name: "core-workerd", include: ["core/**/*.test.ts"] },
      },
      {
        test: {
          name: "core-chromium",
          include: ["core/**/*.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...(existsSync(CHROMIUM) ? { executablePath: CHROMIUM } : {}),
                args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
              },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
