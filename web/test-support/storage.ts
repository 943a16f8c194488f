import "fake-indexeddb/auto";
import { deleteDB, openDB } from "idb";

/** What a browser's cache storage keeps for a page, of one entry in each cache. */
export function storage(): CacheStorage {
  const stored = new Map<string, string>();
  return {
    match: async (_: string, { cacheName = "" }: MultiCacheQueryOptions = {}) => {
      const found = stored.get(cacheName);
      return found === undefined ? undefined : new Response(found);
    },
    open: async (name: string) => ({
      put: async (_: string, response: Response) => void stored.set(name, await response.text()),
    }),
    delete: async (name: string) => stored.delete(name),
  } as unknown as CacheStorage;
}

/** An outbox as an earlier visit left it, with one entry. */
export async function leaveOutbox(): Promise<void> {
  const database = await openDB("taglatch", 1, {
    upgrade: (made) => void made.createObjectStore("outbox", { keyPath: "id" }),
  });
  await database.put("outbox", { id: "1" });
  database.close();
}

export const clearOutbox = () => deleteDB("taglatch");
