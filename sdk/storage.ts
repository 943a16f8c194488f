/** What the SDK keeps on a device: the app's key, its session and certificate, the outbox. */
import type { Bytes } from "../core/encoding/bytes.ts";
import type { LoginMethod, OutboxEntry } from "./types.ts";

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

/** What there is one of. */
export interface VaultContents {
  /** The app's key (ES256, not extractable): what stores it must be able to store a CryptoKey, or keep it in memory. */
  readonly key: CryptoKeyPair;
  readonly passkey: PasskeyRecord;
  readonly session: SessionRecord;
  readonly certificate: CertificateRecord;
  /** Names of tags by BLE device id: a browser remembers tags, but not their names. */
  readonly tagNames: Readonly<Record<string, string>>;
}
export type VaultName = keyof VaultContents;

/**
 * Where the SDK stores what it keeps; by default one IndexedDB. Each method is atomic, and has stored what it resolves for. Values
 * are returned as they were given. What cannot be stored or read rejects with a ConfigurationError `storage_unavailable`.
 */
export interface TaglatchStorage {
  read<Name extends VaultName>(name: Name): Promise<VaultContents[Name] | undefined>;
  write<Name extends VaultName>(name: Name, value: VaultContents[Name]): Promise<void>;
  /** The stored value, or `fresh`, stored now: if two tabs do this at once, both get the same value. */
  readOrWrite<Name extends VaultName>(name: Name, fresh: VaultContents[Name]): Promise<VaultContents[Name]>;
  forget(...names: readonly VaultName[]): Promise<void>;
  /** Every entry, oldest first, by `createdAt`. */
  entries(): Promise<StoredEntry[]>;
  entry(id: string): Promise<StoredEntry | undefined>;
  /** Stores `entry` and removes the `superseded` entries in one transaction. */
  putEntry(entry: StoredEntry, superseded?: readonly string[]): Promise<void>;
  /** Stores what has become of an entry, if it is still there: another page may have ended it. Says whether it was. */
  updateEntry(entry: StoredEntry): Promise<boolean>;
  /** Says whether it was there. */
  removeEntry(id: string): Promise<boolean>;
}
