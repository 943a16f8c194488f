/**
 * Files that not every visitor needs: the words of a language, the kiosk. Each kind is a folder under /assets
 * (`vite.config.ts`). The service worker stores a folder once a page has asked for it, and stores it again with each new
 * version.
 */
import { KEEP_FILES } from "./messages.ts";

const CACHE = "extra-files";

/** Undefined for files that every visitor gets. */
export const folderOf = (path: string) => /^\/?assets\/(.+)\/[^/]+$/.exec(path)?.[1];

const isIn = (folders: readonly string[], folder: string) =>
  folders.some((asked) => folder === asked || folder.startsWith(`${asked}/`));

/** A page asks for what it needs without a network: folders with what is below them. Without a worker nothing happens. */
export function keepFiles(folders: readonly string[]): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  void container?.ready.then(({ active }) => active?.postMessage({ type: KEEP_FILES, folders }));
}

/** The service worker's side. `paths`: the extra files of this version, as the build lists them. */
export function extraFiles(paths: readonly string[], storage: CacheStorage) {
  const urls = paths.map((path) => `/${path}`);
  const stored = async (cache: Cache) => (await cache.keys()).map(({ url }) => new URL(url).pathname);

  const keep = async (folders: readonly string[]) => {
    const cache = await storage.open(CACHE);
    const there = await stored(cache);
    const missing = urls.filter((url) => isIn(folders, folderOf(url) ?? "") && !there.includes(url));
    await cache.addAll(missing);
  };
  return {
    keep,
    /** A new version has them before it takes over. */
    keepAgain: async () => {
      const folders = (await stored(await storage.open(CACHE))).map((url) => folderOf(url) ?? "");
      await keep(folders);
    },
    /** Deletes files of earlier versions, once this version has taken over. */
    dropOld: async () => {
      const cache = await storage.open(CACHE);
      const old = (await stored(cache)).filter((url) => !urls.includes(url));
      await Promise.all(old.map((url) => cache.delete(url)));
    },
    answers: ({ url }: { readonly url: URL }) => urls.includes(url.pathname),
    answer: async ({ request }: { readonly request: Request }) =>
      (await storage.match(request, { cacheName: CACHE })) ?? fetch(request),
  };
}
