/** {@link TaglatchStorage} in one IndexedDB. */
import { ConfigurationError } from "./errors.ts";
import type { StoredEntry, TaglatchStorage, VaultContents, VaultName } from "./storage.ts";

/** Its name unless the host gives another. */
export const DATABASE = "taglatch";

type StoreName = "vault" | "outbox";

/** "Connection to Indexed Database server lost": the browser's process for storage has gone, and comes back. */
const isLost = (cause: unknown) => cause instanceof Error && cause.name === "UnknownError";

/** Throws {@link ConfigurationError} `storage_unavailable` from every method when the browser gives no storage. */
export class Database implements TaglatchStorage {
  readonly #name: string;
  #open: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  read<Name extends VaultName>(name: Name): Promise<VaultContents[Name] | undefined> {
    return this.#read("vault", (vault) => vault.get(name));
  }

  async write<Name extends VaultName>(name: Name, value: VaultContents[Name]): Promise<void> {
    await this.#change("vault", (vault) => vault.put(value, name));
  }

  readOrWrite<Name extends VaultName>(name: Name, fresh: VaultContents[Name]): Promise<VaultContents[Name]> {
    return this.#change("vault", async (vault) => {
      const stored: VaultContents[Name] | undefined = await resultOf(vault.get(name));
      if (stored === undefined) vault.put(fresh, name);
      return stored ?? fresh;
    });
  }

  forget(...names: readonly VaultName[]): Promise<void> {
    return this.#change("vault", (vault) => {
      for (const name of names) vault.delete(name);
    });
  }

  async entries(): Promise<StoredEntry[]> {
    const entries: StoredEntry[] = await this.#read("outbox", (outbox) => outbox.getAll());
    return entries.sort((a, b) => a.createdAt - b.createdAt);
  }

  putEntry(entry: StoredEntry, superseded: readonly string[] = []): Promise<void> {
    return this.#change("outbox", (outbox) => {
      for (const id of superseded) outbox.delete(id);
      outbox.put(entry);
    });
  }

  entry(id: string): Promise<StoredEntry | undefined> {
    return this.#read("outbox", (outbox) => outbox.get(id));
  }

  updateEntry(entry: StoredEntry): Promise<boolean> {
    return this.#ifThere(entry.id, (outbox) => outbox.put(entry));
  }

  removeEntry(id: string): Promise<boolean> {
    return this.#ifThere(id, (outbox) => outbox.delete(id));
  }

  #ifThere(id: string, change: (outbox: IDBObjectStore) => IDBRequest): Promise<boolean> {
    return this.#change("outbox", async (outbox) => {
      const isThere = (await resultOf(outbox.getKey(id))) !== undefined;
      if (isThere) change(outbox);
      return isThere;
    });
  }

  #read<T>(name: StoreName, request: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return this.#with((db) => resultOf(request(db.transaction(name).objectStore(name))));
  }

  /** Resolves once everything that `change` requests is stored. It may await results of its own requests alone. */
  #change<T>(name: StoreName, change: (store: IDBObjectStore) => T | Promise<T>): Promise<T> {
    return this.#with(async (db) => {
      const transaction = db.transaction(name, "readwrite");
      const [result] = await Promise.all([change(transaction.objectStore(name)), completed(transaction)]);
      return result;
    });
  }

  async #with<T>(use: (db: IDBDatabase) => Promise<T>): Promise<T> {
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

  async #once<T>(use: (db: IDBDatabase) => Promise<T>): Promise<T> {
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

  async #openDatabase(): Promise<IDBDatabase> {
    try {
      return await this.#openAt(1);
    } catch (cause) {
      // A newer page has upgraded it: that keeps what is here.
      if (!(cause instanceof Error) || cause.name !== "VersionError") throw cause;
      return this.#openAt(undefined);
    }
  }

  /** `version`: undefined for the one that it has. */
  async #openAt(version: number | undefined): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, version);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore("vault");
      request.result.createObjectStore("outbox", { keyPath: "id" });
    });
    const db = await resultOf(request);
    // A newer page wants to upgrade: let it, and open again at the next use.
    db.addEventListener("versionchange", () => db.close());
    db.addEventListener("close", () => {
      this.#open = undefined;
    });
    return db;
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}
