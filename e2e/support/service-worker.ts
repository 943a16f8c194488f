/** The page's service worker, seen from a test. */
import type { Page } from "@playwright/test";

/** Resolves once the page is served by an active worker. */
export async function controlled(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
}

/** Lets the browser's Background Sync fire `tag` now, as it would when the network is back. */
export async function fireSync(page: Page, tag: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const { registrationId, isDeleted } of registrations) if (!isDeleted) resolve(registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const origin = new URL(page.url()).origin;
  await session.send("ServiceWorker.dispatchSyncEvent", {
    origin,
    registrationId: await registration,
    tag,
    lastChance: false,
  });
  await session.detach();
}
