import type { TaglatchStorage } from "../storage.ts";
import { type KeyValueStore, type StorageOverOptions, storageOver } from "../storage-over.ts";

/** A host's store of texts, in memory. */
export const keyValueStore = (texts = new Map<string, string>()): KeyValueStore => ({
  get: async (key) => texts.get(key),
  set: async (key, value) => texts.set(key, value),
  remove: async (key) => texts.delete(key),
});

/** {@link TaglatchStorage} for tests without IndexedDB. */
export const memoryStorage = (texts?: Map<string, string>, options?: StorageOverOptions): TaglatchStorage =>
  storageOver(keyValueStore(texts), options);
