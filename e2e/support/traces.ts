import type { Page } from "@playwright/test";

/** Where a secret was found. */
export interface Trace {
  readonly place: string;
  readonly secret: string;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it goes to the page as one text.
async function keptInPage(): Promise<Record<string, string>> {
  const text = (value: unknown): string => {
    const seen = new Set<unknown>();
    return (
      JSON.stringify(value, (_key, part: unknown) => {
        if (typeof CryptoKey !== "undefined" && part instanceof CryptoKey) return "[key]";
        if (part instanceof ArrayBuffer)
          return Array.from(new Uint8Array(part), (b) => String.fromCharCode(b)).join("");
        if (ArrayBuffer.isView(part))
          return Array.from(part as Uint8Array, (b) => String.fromCharCode(b)).join("");
        if (typeof part === "object" && part !== null) {
          if (seen.has(part)) return "[seen]";
          seen.add(part);
        }
        return part;
      }) ?? ""
    );
  };
  // A blank page has no storage, and says so by an exception.
  const isBlank = location.protocol === "about:";
  const done = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const stores = async () => {
    const all: unknown[] = [];
    if (isBlank) return all;
    for (const { name = "" } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name));
      for (const store of db.objectStoreNames) {
        const objects = db.transaction(store).objectStore(store);
        for (const request of [objects.getAll(), objects.getAllKeys()])
          all.push(name, store, await done(request as IDBRequest<unknown[]>));
      }
      db.close();
    }
    return all;
  };
  const cached = async () => {
    const all: string[] = [];
    if (isBlank) return all;
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const answer = await cache.match(request);
        all.push(
          request.url,
          /json|text|html/.test(answer?.headers.get("content-type") ?? "")
            ? ((await answer?.text()) ?? "")
            : "",
        );
      }
    }
    return all;
  };
  const values = [...document.querySelectorAll("input, textarea, select")].map(
    (field) => (field as HTMLInputElement).value,
  );
  return {
    dom: document.documentElement.outerHTML,
    fields: values.join("\n"),
    title: document.title,
    address: location.href,
    state: text(history.state),
    sessionStorage: isBlank ? "" : text({ ...sessionStorage }),
    localStorage: isBlank ? "" : text({ ...localStorage }),
    indexedDB: text(await stores()),
    caches: text(await cached()),
    cookies: isBlank ? "" : document.cookie,
    performance: text(performance.getEntries().map((entry) => entry.toJSON())),
    windowName: window.name,
    selection: String(getSelection()),
  };
}

/** Everything a browser keeps for this page, as text by place. */
async function keptBy(page: Page): Promise<Record<string, string>> {
  const inPage = await page.evaluate(keptInPage);
  const cookiesOfBrowser = JSON.stringify(await page.context().cookies());
  const cdp = await page.context().newCDPSession(page);
  const visited = JSON.stringify(await cdp.send("Page.getNavigationHistory"));
  await cdp.detach();
  return { ...inPage, cookiesOfBrowser, history: visited };
}

/** What each store of this page's databases holds that holds anything, by the names of database and store. */
export async function storesOf(page: Page): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const all: readonly unknown[] = JSON.parse((await page.evaluate(keptInPage)).indexedDB ?? "[]");
  const stores: Record<string, readonly unknown[]> = {};
  // Database, store and rows, then the same with the keys.
  for (let at = 0; at < all.length; at += 6) {
    const rows = all[at + 2] as readonly unknown[];
    if (rows.length > 0) stores[`${all[at]} ${all[at + 1]}`] = rows;
  }
  return stores;
}

/** Each place that still knows one of `secrets`, whatever its case. */
export async function tracesOf(page: Page, secrets: readonly string[]): Promise<readonly Trace[]> {
  const kept = await keptBy(page);
  return Object.entries(kept).flatMap(([place, text]) =>
    secrets
      .filter((secret) => text.toUpperCase().includes(secret.toUpperCase()))
      .map((secret) => ({ place, secret })),
  );
}

/** Which of `secrets` the page's memory still holds after a collection: a heap snapshot, searched as text. */
export async function inMemory(page: Page, secrets: readonly string[]): Promise<readonly string[]> {
  const cdp = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  cdp.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await cdp.send("HeapProfiler.enable");
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await cdp.detach();
  const snapshot = chunks.join("");
  // Its texts come last. They are searched as they stand in it: parsing all of it takes longer than the story.
  const at = snapshot.lastIndexOf('"strings":[');
  if (at < 0) throw new Error("a heap snapshot without texts");
  const strings = snapshot.slice(at);
  return secrets.filter((secret) => strings.includes(asInSnapshot(secret)));
}

/** As V8 writes a text: JSON, and ASCII alone. */
const asInSnapshot = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
