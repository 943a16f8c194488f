/**
 * What is left of a passenger outside the page's own memory, and how it goes. The page stores nothing of a passenger
 * in the first place: this is the second door behind the first. Staff session, set-up and the queue stay.
 */

/** Keys of this origin's storages that hold nobody's data. */
const KEPT_KEYS: readonly string[] = [
  // Whether the queue holds something.
  "taglatch.outbox-waiting",
  // Development only: virtual tags stay for the life of the tab.
  "taglatch.virtual-tags",
];

/** Clears what can be cleared at once; the promise settles when caches and clipboard are done, too. */
export async function wipeTraces(title: string): Promise<void> {
  document.title = title;
  history.replaceState(null, "", location.pathname);
  getSelection()?.removeAllRanges();
  // Addresses of requests name journeys.
  performance.clearResourceTimings();
  performance.clearMarks();
  performance.clearMeasures();
  for (const storage of [sessionStorage, localStorage]) sweep(storage);
  await Promise.all([wipeCaches(), wipeClipboard()]);
}

function sweep(storage: Storage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key !== null && !KEPT_KEYS.includes(key)) storage.removeItem(key);
}

/** Answers of the service are never cached; whatever should have got there goes, the page's own files stay. */
async function wipeCaches(): Promise<void> {
  if (!("caches" in globalThis)) return;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const answers = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/v2/"));
    await Promise.all(answers.map((request) => cache.delete(request)));
  }
}

/** Nothing can be copied at a kiosk (KioskFrame); an empty clipboard makes sure. */
async function wipeClipboard(): Promise<void> {
  try {
    await navigator.clipboard.writeText("");
  } catch {
    // Refused without focus. Then nobody is at the page who could have copied anything from it.
  }
}
