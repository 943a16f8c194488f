/**
 * What is left of a passenger outside the page's own memory, and how it is removed. The page stores nothing
 * of a passenger in the first place: this is a second safeguard. Staff session, set-up and the queue stay.
 */
import { onCleanup, onMount } from "solid-js";

/** Keys in this origin's storages that hold no personal data. */
const KEPT_KEYS: readonly string[] = [
  // The airline's colours and name: a kiosk that starts without a network shows whose it is.
  "taglatch.look",
  // Development only: virtual tags stay for the life of the tab.
  "taglatch.virtual-tags",
];

/**
 * Clears at once what can be cleared at once; the promise settles when caches and clipboard are done, too.
 */
export async function wipeTraces(title: string): Promise<void> {
  document.title = title;
  // Development only, as above: a kiosk with virtual tags keeps them for the next passenger, and in its address.
  history.replaceState(null, "", location.pathname + (location.search === "?sim" ? "?sim" : ""));
  getSelection()?.removeAllRanges();
  // The URLs of requests name journeys.
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

/**
 * Answers of the service are never cached. Anything that got there anyway is removed; the page's own files
 * stay.
 */
async function wipeCaches(): Promise<void> {
  if (!("caches" in globalThis)) return;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const answers = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/v2/"));
    await Promise.all(answers.map((request) => cache.delete(request)));
  }
}

/** Nothing can be copied at a kiosk (KioskFrame); this empties the clipboard to be sure. */
async function wipeClipboard(): Promise<void> {
  try {
    await navigator.clipboard.writeText("");
  } catch {
    // Refused without focus; then nothing was copied from this page either.
  }
}

const WAYS_OUT = ["copy", "cut", "dragstart", "contextmenu"] as const;

/** Nothing can be copied off a kiosk's screen, neither by clipboard nor by dragging. */
export function preventCopies(): void {
  const keepHere = (event: Event) => event.preventDefault();
  onMount(() => {
    for (const way of WAYS_OUT) document.addEventListener(way, keepHere);
  });
  onCleanup(() => {
    for (const way of WAYS_OUT) document.removeEventListener(way, keepHere);
  });
}
