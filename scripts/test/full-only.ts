/**
 * Test files that only a full run has (`FULL=1`, `npm run nightly`), each with the reason and what stands for it daily. In
 * other files single tests and figures are left to it: `dailyOrFull` of core/full.test-support.ts, and `@nightly` of stories.
 */
export const FULL_ONLY: Readonly<Record<string, string>> = {
  "scripts/ops/restore-drill.test.ts": "starts wrangler and two services; daily each command it uses",
  "scripts/ops/wrangled.test.ts": "a wrangler for each statement; daily the same statements on D1",
  "scripts/release/two-releases.test.ts": "builds two folders; daily what one release writes",
  "e2e/conformance.spec.ts":
    "each check is a connection or two; daily the same checks without a page, and over real ATT with the service",
  "e2e/contact-sheets.spec.ts": "pictures of every screen in eight languages, to be looked at",
  "e2e/emulation.spec.ts":
    "the bridge from Chromium's Bluetooth to a tag alone; daily every story goes over it",
  "e2e/installed-sdk.spec.ts": "packs the SDK and bundles a host; daily the page is a host of its sources",
  "e2e/wrangler-dev.spec.ts": "plain `wrangler dev` of the build, slow to be ready beside other stories",
};
