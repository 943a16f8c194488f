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
