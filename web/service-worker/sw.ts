import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  type PrecacheEntry,
  precacheAndRoute,
} from "workbox-precaching";
import { registerRoute } from "workbox-routing";
import { flushOutbox } from "../../sdk/index.ts";
import { extraFiles, folderOf } from "./extra-files.ts";
import { KEEP_FILES, OUTBOX_FLUSHED, outboxOf, SKIP_WAITING, type WaitingOutbox } from "./messages.ts";
import { answererOf } from "./navigation.ts";
import { openPage, showNews, type Windows } from "./news.ts";

/**
 * The page's service worker: files of the build for an offline start, and the outbox of a page that is
 * closed. It caches no answer of the service and replaces nothing by itself: a new version waits until the
 * page agrees.
 */

/** What this worker reads of its events; the DOM's types only know pages. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
  /** Of a message to this worker. */
  readonly data: unknown;
  /** Of Background Sync (WICG): the browser is online and has time. */
  readonly tag: string;
  /** A notification of ours that was tapped. */
  readonly notification: { close(): void };
}

interface WorkerScope extends Windows {
  readonly clients: Windows["clients"] & {
    claim(): Promise<void>;
    matchAll(options: {
      type: "window";
      includeUncontrolled: boolean;
    }): Promise<readonly { postMessage(message: unknown): void }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(name: string, listener: (event: WorkerEvent) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

// The build replaces this name by the list of its files.
const files = (self as unknown as { __WB_MANIFEST: PrecacheEntry[] }).__WB_MANIFEST;
const isExtra = ({ url }: PrecacheEntry) => folderOf(url) !== undefined;
// The route of the page answers "/", too: a precached document varies by language, and must answer in every one.
precacheAndRoute(
  files.filter((file) => !isExtra(file)),
  { directoryIndex: "" },
);
cleanupOutdatedCaches();
const extras = extraFiles(
  files.filter(isExtra).map(({ url }) => url),
  caches,
);
registerRoute(extras.answers, extras.answer);

const page = createHandlerBoundToURL("/index.html");
const isFor =
  (answerer: ReturnType<typeof answererOf>) =>
  ({ request, url }: { readonly request: Request; readonly url: URL }) =>
    request.mode === "navigate" && answererOf(url.pathname) === answerer;

registerRoute(isFor("page"), page);
registerRoute(isFor("unknown"), async (navigation) => {
  try {
    return await fetch(navigation.request);
  } catch {
    const { body, headers } = await page(navigation);
    return new Response(body, { status: 404, headers });
  }
});

scope.addEventListener("message", (event) => {
  const { type, folders } = (event.data ?? {}) as { type?: unknown; folders?: readonly string[] };
  if (type === SKIP_WAITING) event.waitUntil(scope.skipWaiting());
  // Offline it fails; the next start of a page asks again.
  if (type === KEEP_FILES) event.waitUntil(extras.keep(folders ?? []).catch(() => undefined));
});

scope.addEventListener("install", (event) => event.waitUntil(extras.keepAgain()));

// The first install also takes control of the open page, so that its outbox and its next start are covered.
scope.addEventListener("activate", (event) =>
  event.waitUntil(Promise.all([scope.clients.claim(), extras.dropOld()])),
);

scope.addEventListener("sync", (event) => {
  const waiting = outboxOf(event.tag);
  if (waiting !== undefined) event.waitUntil(flush(waiting));
});

scope.addEventListener("push", (event) => event.waitUntil(showNews(scope, caches, Date.now())));

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(scope));
});

/** Throws while something is left: the browser then tries again later, at a time of its choice. */
async function flush(waiting: WaitingOutbox): Promise<void> {
  const { left, sentIds } = await flushOutbox({ baseUrl: "", ...waiting });
  for (const page of await scope.clients.matchAll({ type: "window", includeUncontrolled: true }))
    page.postMessage({ type: OUTBOX_FLUSHED, sentIds });
  if (left > 0) throw new Error(`${left} of the outbox are left`);
}
