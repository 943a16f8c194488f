/**
 * The page's service worker: files of the build for an offline start, and the outbox of a page that is
 * closed. It caches no answer of the service and replaces nothing by itself: a new version waits until the
 * page agrees.
 */
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  type PrecacheEntry,
  precacheAndRoute,
} from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { SERVICE_PATHS } from "../../core/api/paths.ts";
import { flushOutbox } from "../../sdk/index.ts";
import { OUTBOX_FLUSHED, outboxOf, SKIP_WAITING, type WaitingOutbox } from "./messages.ts";
import { openPage, showNews } from "./news.ts";
import { scope } from "./scope.ts";

/** Paths that the app shell must never answer: `/handover` has headers of its own, the statements are documents. */
const NOT_THE_PAGE = [...SERVICE_PATHS, "/assets", "/handover", "/privacy", "/accessibility"].map(
  (path) => new RegExp(`^${path.replaceAll(".", "\\.")}(?:[/?]|$)`),
);

// The build replaces this name by the list of its files.
precacheAndRoute((self as unknown as { __WB_MANIFEST: PrecacheEntry[] }).__WB_MANIFEST);
cleanupOutdatedCaches();
registerRoute(new NavigationRoute(createHandlerBoundToURL("/index.html"), { denylist: NOT_THE_PAGE }));

scope.addEventListener("message", (event) => {
  const { type } = (event.data ?? {}) as { type?: unknown };
  if (type === SKIP_WAITING) event.waitUntil(scope.skipWaiting());
});

// The first install also takes control of the open page, so that its outbox and its next start are covered.
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("sync", (event) => {
  const waiting = outboxOf(event.tag);
  if (waiting !== undefined) event.waitUntil(flush(waiting));
});

scope.addEventListener("push", (event) => event.waitUntil(showNews(scope, caches)));

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(scope));
});

/** Throws while something is left: the browser then tries again later, at a time of its choice. */
async function flush(waiting: WaitingOutbox): Promise<void> {
  const { left } = await flushOutbox({ baseUrl: "", ...waiting });
  for (const page of await scope.clients.matchAll({ type: "window", includeUncontrolled: true }))
    page.postMessage({ type: OUTBOX_FLUSHED });
  if (left > 0) throw new Error(`${left} of the outbox are left`);
}
