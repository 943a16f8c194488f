/** {@link TaglatchStorage} in one IndexedDB. */
import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, openDB } from "idb";
import { ConfigurationError } from "./errors.ts";
import type { StoredEntry, TaglatchStorage, VaultContents, VaultName } from "./storage.ts";

/** Its name unless the host gives another. */
export const DATABASE = "taglatch";

interface Schema extends DBSchema {
  vault: { key: VaultName; value: VaultContents[VaultName] };
  outbox: { key: string; value: StoredEntry };
}

type OutboxStore = IDBPObjectStore<Schema, ["outbox"], "outbox", "readwrite">;

/** "Connection to Indexed Database server lost": the browser's process for storage has gone, and comes back. */
const isLost = (cause: unknown) => cause instanceof Error && cause.name === "UnknownError";

/** Throws {@link ConfigurationError} `storage_unavailable` from every method when the browser gives no storage. */
export class Database implements TaglatchStorage {
  readonly #name: string;
  #open: Promise<IDBPDatabase<Schema>> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  read<Name extends VaultName>(name: Name): Promise<VaultContents[Name] | undefined> {
    return this.#with((db) => db.get("vault", name) as Promise<VaultContents[Name] | undefined>);
  }

  async write<Name extends VaultName>(name: Name, value: VaultContents[Name]): Promise<void> {
    await this.#with((db) => db.put("vault", value, name));
  }

  readOrWrite<Name extends VaultName>(name: Name, fresh: VaultContents[Name]): Promise<VaultContents[Name]> {
    return this.#with(async (db) => {
      const transaction = db.transaction("vault", "readwrite");
      const stored = (await transaction.store.get(name)) as VaultContents[Name] | undefined;
      if (stored === undefined) await transaction.store.put(fresh, name);
      await transaction.done;
      return stored ?? fresh;
    });
  }

  async forget(...names: readonly VaultName[]): Promise<void> {
    await this.#with((db) => {
      const transaction = db.transaction("vault", "readwrite");
      return Promise.all([...names.map((name) => transaction.store.delete(name)), transaction.done]);
    });
  }

  async entries(): Promise<StoredEntry[]> {
    const entries = await this.#with((db) => db.getAll("outbox"));
    return entries.sort((a, b) => a.createdAt - b.createdAt);
  }

  async putEntry(entry: StoredEntry, superseded: readonly string[] = []): Promise<void> {
    await this.#with((db) => {
      const transaction = db.transaction("outbox", "readwrite");
      const removed = superseded.map((id) => transaction.store.delete(id));
      return Promise.all([...removed, transaction.store.put(entry), transaction.done]);
    });
  }

  entry(id: string): Promise<StoredEntry | undefined> {
    return this.#with((db) => db.get("outbox", id));
  }

  updateEntry(entry: StoredEntry): Promise<boolean> {
    return this.#ifThere(entry.id, (outbox) => outbox.put(entry));
  }

  removeEntry(id: string): Promise<boolean> {
    return this.#ifThere(id, (outbox) => outbox.delete(id));
  }

  #ifThere(id: string, change: (outbox: OutboxStore) => Promise<unknown>): Promise<boolean> {
    return this.#with(async (db) => {
      const transaction = db.transaction("outbox", "readwrite");
      const isThere = (await transaction.store.getKey(id)) !== undefined;
      if (isThere) await change(transaction.store);
      await transaction.done;
      return isThere;
    });
  }

  async #with<T>(use: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    const wasOpen = this.#open !== undefined;
    try {
      return await this.#once(use).catch((cause: unknown) => {
        // WebKit drops the connections of pages in the background, and a page that upgrades makes others close theirs. A new
        // one works, and every use may be repeated: it is one transaction that puts or deletes by key.
        if (!wasOpen && !isLost(cause)) throw cause;
        return this.#once(use);
      });
    } catch (cause) {
      throw new ConfigurationError("storage_unavailable", "the browser's storage cannot be used", { cause });
    }
  }

  async #once<T>(use: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    this.#open ??= this.#openDatabase();
    const opened = this.#open;
    try {
      return await use(await opened);
    } catch (cause) {
      // Another use may have opened it again already.
      if (this.#open === opened) this.#open = undefined;
      opened.then(
        (db) => db.close(),
        () => undefined,
      );
      throw cause;
    }
  }

  async #openDatabase(): Promise<IDBPDatabase<Schema>> {
    try {
      return await this.#openAt(1);
    } catch (cause) {
      // A newer page has upgraded it: that keeps what is here.
      if (!(cause instanceof Error) || cause.name !== "VersionError") throw cause;
      return this.#openAt(undefined);
    }
  }

  /** `version`: undefined for the one that it has. */
  #openAt(version: number | undefined): Promise<IDBPDatabase<Schema>> {
    return openDB<Schema>(this.#name, version, {
      upgrade(db) {
        db.createObjectStore("vault");
        db.createObjectStore("outbox", { keyPath: "id" });
      },
      // A newer page wants to upgrade: let it, and open again at the next use.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase | null)?.close(),
      terminated: () => {
        this.#open = undefined;
      },
    });
  }
}
