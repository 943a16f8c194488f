/** {@link TaglatchStorage} in memory: for hosts' own storages as an example, and for tests without IndexedDB. */
import type { StoredEntry, TaglatchStorage, VaultContents } from "../storage.ts";

export function memoryStorage(): TaglatchStorage {
  const vault: Partial<VaultContents> = {};
  const outbox = new Map<string, StoredEntry>();
  return {
    read: async (name) => vault[name],
    async write(name, value) {
      vault[name] = value;
    },
    async readOrWrite(name, fresh) {
      vault[name] ??= fresh;
      return vault[name] ?? fresh;
    },
    async forget(...names) {
      for (const name of names) delete vault[name];
    },
    entries: async () => [...outbox.values()].toSorted((a, b) => a.createdAt - b.createdAt),
    entry: async (id) => outbox.get(id),
    async putEntry(entry, superseded = []) {
      for (const id of superseded) outbox.delete(id);
      outbox.set(entry.id, entry);
    },
    async updateEntry(entry) {
      const isThere = outbox.has(entry.id);
      if (isThere) outbox.set(entry.id, entry);
      return isThere;
    },
    removeEntry: async (id) => outbox.delete(id),
  };
}
