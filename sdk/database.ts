/** What the SDK keeps on this device, in one IndexedDB: the app's key, its session and certificate, the outbox. */
import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, openDB } from "idb";
import type { Bytes } from "../core/encoding/bytes.ts";
import { ConfigurationError } from "./errors.ts";
import type { LoginMethod, OutboxEntry } from "./types.ts";

/** Its name unless the host gives another. */
export const DATABASE = "taglatch";

/** Times are milliseconds since 1970. */
export interface SessionRecord {
  readonly method: LoginMethod;
  /** Absent once the session ended and cannot be renewed without the person. */
  readonly accessToken?: string;
  readonly accessExpiresAt: number;
  readonly refreshToken?: string;
  readonly refreshExpiresAt?: number;
}

export interface CertificateRecord {
  /** DER, leaf first. */
  readonly chain: readonly Bytes[];
  readonly notAfter: number;
  /** Of the certified key. */
  readonly thumbprint: string;
}

/** An outbox entry with the further data its call needs: still no personal data and no token. */
export interface StoredEntry extends OutboxEntry {
  readonly batteryPercentage?: number;
  readonly firmwareVersion?: string;
  /** The tag's certificate, base64 DER. */
  readonly tagCertificate?: string;
  /** Which token the tag took, base64url. It identifies no person without the service's key. */
  readonly cti?: string;
  /**
   * How the tag will name this commit, base64url, 32 bytes: a digest over the token's nonce, which is kept nowhere. So
   * a reader of this cannot test a guess of the label.
   */
  readonly mark?: string;
  /** v2.1: what the tag's counter was before. */
  readonly commitsBefore?: number;
  /** The tag's statement, base64url. */
  readonly tagStatement?: string;
  /** The tag was asked again after the service had found its statement stale; that happens once. */
  readonly asked?: true;
}

/** The passkey used last; its key stays in the authenticator. */
export interface PasskeyRecord {
  /** base64url. */
  readonly id: string;
}

interface VaultContents {
  readonly key: CryptoKeyPair;
  readonly passkey: PasskeyRecord;
  readonly session: SessionRecord;
  readonly certificate: CertificateRecord;
  /** Names of tags by BLE device id: a browser remembers tags, but not their names. */
  readonly tagNames: Readonly<Record<string, string>>;
}
export type VaultName = keyof VaultContents;

interface Schema extends DBSchema {
  vault: { key: VaultName; value: VaultContents[VaultName] };
  outbox: { key: string; value: StoredEntry };
}

type OutboxStore = IDBPObjectStore<Schema, ["outbox"], "outbox", "readwrite">;

/** "Connection to Indexed Database server lost": the browser's process for storage has gone, and comes back. */
const isLost = (cause: unknown) => cause instanceof Error && cause.name === "UnknownError";

/** Throws {@link ConfigurationError} `storage_unavailable` from every method when the browser gives no storage. */
export class Database {
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

  /** The stored value, or `fresh`, stored now: if two tabs do this at once, both get the same value. */
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

  /** Oldest first. */
  async entries(): Promise<StoredEntry[]> {
    const entries = await this.#with((db) => db.getAll("outbox"));
    return entries.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Stores `entry` and removes the `superseded` entries in one transaction. */
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

  /** Stores what has become of an entry, if it is still there: another page may have ended it. Says whether it was. */
  updateEntry(entry: StoredEntry): Promise<boolean> {
    return this.#ifThere(entry.id, (outbox) => outbox.put(entry));
  }

  /** Says whether it was there. */
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
