/** {@link TaglatchStorage} over a store of texts by key, for platforms without IndexedDB. */
import { ConfigurationError } from "./errors.ts";
import type { StoredEntry, TaglatchStorage, VaultContents, VaultName } from "./storage.ts";

/** A store of texts, such as React Native's AsyncStorage. One process uses it at a time. */
export interface KeyValueStore {
  get(key: string): Promise<string | null | undefined>;
  set(key: string, value: string): Promise<unknown>;
  remove(key: string): Promise<unknown>;
}

export interface StorageOverOptions {
  /** Before the names of its keys; default `taglatch`. */
  readonly prefix?: string;
  /**
   * The app's key (ECDSA, P-256), where the host has a secure store for it; then the session is stored, too. Default: another
   * key after each start, because a text cannot hold one that cannot be exported.
   */
  readonly key?: CryptoKeyPair;
}

/** A storage for `createTaglatch({ storage })` and `flushOutbox`. */
export function storageOver(store: KeyValueStore, options: StorageOverOptions = {}): TaglatchStorage {
  return new TextStorage(store, options);
}

/** The key is no text, and a certificate is asked for again. */
const isText = (name: VaultName) => name !== "key" && name !== "certificate";

/** Its calls run in order, so that each is atomic. */
class TextStorage implements TaglatchStorage {
  readonly #store: KeyValueStore;
  readonly #prefix: string;
  readonly #key: CryptoKeyPair | undefined;
  /** What this process has written. */
  readonly #memory: Partial<VaultContents>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: KeyValueStore, { prefix = "taglatch", key }: StorageOverOptions) {
    this.#store = store;
    this.#prefix = prefix;
    this.#key = key;
    this.#memory = key === undefined ? {} : { key };
  }

  read<Name extends VaultName>(name: Name): Promise<VaultContents[Name] | undefined> {
    return this.#inTurn(() => this.#read(name));
  }

  write<Name extends VaultName>(name: Name, value: VaultContents[Name]): Promise<void> {
    return this.#inTurn(() => this.#write(name, value));
  }

  readOrWrite<Name extends VaultName>(name: Name, fresh: VaultContents[Name]): Promise<VaultContents[Name]> {
    return this.#inTurn(async () => {
      const stored = await this.#read(name);
      if (stored === undefined) await this.#write(name, fresh);
      return stored ?? fresh;
    });
  }

  forget(...names: readonly VaultName[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const name of names) {
        if (isText(name)) await this.#store.remove(`${this.#prefix}.${name}`);
        delete this.#memory[name];
      }
    });
  }

  entries(): Promise<StoredEntry[]> {
    return this.#inTurn(async () => (await this.#outbox()).sort((a, b) => a.createdAt - b.createdAt));
  }

  async entry(id: string): Promise<StoredEntry | undefined> {
    return (await this.entries()).find((entry) => entry.id === id);
  }

  async putEntry(entry: StoredEntry, superseded: readonly string[] = []): Promise<void> {
    const gone = [entry.id, ...superseded];
    await this.#change(entry.id, (entries) => [...entries.filter(({ id }) => !gone.includes(id)), entry]);
  }

  updateEntry(entry: StoredEntry): Promise<boolean> {
    return this.#change(entry.id, (entries) => entries.map((each) => (each.id === entry.id ? entry : each)));
  }

  removeEntry(id: string): Promise<boolean> {
    return this.#change(id, (entries) => entries.filter((entry) => entry.id !== id));
  }

  async #read<Name extends VaultName>(name: Name): Promise<VaultContents[Name] | undefined> {
    const known: VaultContents[Name] | undefined = this.#memory[name];
    return known ?? (isText(name) ? this.#load(name) : undefined);
  }

  async #write<Name extends VaultName>(name: Name, value: VaultContents[Name]): Promise<void> {
    if (isText(name)) await this.#save(name, name === "session" ? this.#storable(value) : value);
    this.#memory[name] = value;
  }

  /**
   * A session ends with its key. Its method stays, so that the SDK does not sign in as a guest in the place of a person
   * whose work is still to be reported.
   */
  #storable(session: unknown): unknown {
    const isKeyKept = this.#key !== undefined && this.#memory.key === this.#key;
    return isKeyKept ? session : { method: (session as VaultContents["session"]).method, accessExpiresAt: 0 };
  }

  async #outbox(): Promise<StoredEntry[]> {
    return (await this.#load<StoredEntry[]>("outbox")) ?? [];
  }

  /** Says whether `id` was there. */
  #change(id: string, change: (entries: StoredEntry[]) => StoredEntry[]): Promise<boolean> {
    return this.#inTurn(async () => {
      const entries = await this.#outbox();
      await this.#save("outbox", change(entries));
      return entries.some((entry) => entry.id === id);
    });
  }

  async #load<T>(name: string): Promise<T | undefined> {
    const text = await this.#store.get(`${this.#prefix}.${name}`);
    return text ? JSON.parse(text) : undefined;
  }

  #save(name: string, value: unknown): Promise<unknown> {
    return this.#store.set(`${this.#prefix}.${name}`, JSON.stringify(value));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work).catch((cause: unknown) => {
      throw new ConfigurationError("storage_unavailable", "the host's store cannot be used", { cause });
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
