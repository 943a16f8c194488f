/**
 * What makes this device a kiosk: one record in an IndexedDB of its own, which outlives passengers and
 * shifts. The B2B secret in it is sealed with a key that scripts can use but not read (docs/security.md says
 * what that protects).
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { type Bytes, fromUtf8, utf8 } from "../../core/encoding/bytes.ts";
import { ConfigurationError } from "../../sdk/index.ts";

export const SCANNERS = ["scanner", "camera", "both"] as const;
export type Scanner = (typeof SCANNERS)[number];

export const SPEECH_OFFERS = ["off", "headphones", "both"] as const;
/** Function keys: neither scanners nor typing send them. The next three repeat, change pace and change volume. */
export const SPEECH_KEYS = ["F1", "F5", "F17"] as const;
export const SPEECH_RATES = ["slow", "normal", "fast"] as const;
export type SpeechRate = (typeof SPEECH_RATES)[number];

export interface SpeechSettings {
  /** `both`: on a loudspeaker too, without personal data unless the person says so. */
  readonly offered: (typeof SPEECH_OFFERS)[number];
  /** What starts it. */
  readonly key: (typeof SPEECH_KEYS)[number];
  readonly rate: SpeechRate;
}

export interface Settings {
  /** The name that staff use for this kiosk. */
  readonly name: string;
  /** IATA codes, upper case. */
  readonly airline: string;
  readonly airport: string;
  readonly scanner: Scanner;
  /** Whether a short sound precedes the clearing of the screen. */
  readonly sound: boolean;
  /** Absent in a set-up of before there was speech. */
  readonly speech?: SpeechSettings;
  /** X-Source-App-Key; absent: the configuration's kiosk key. */
  readonly clientKey?: string;
}

/** Speech is offered by default, and silent until a person asks for it. */
export const speechOf = (settings: Settings | undefined): SpeechSettings =>
  settings?.speech ?? { offered: "both", key: "F1", rate: "normal" };

interface StoredSetup {
  readonly settings: Settings;
  readonly key: CryptoKey;
  readonly iv: Bytes;
  readonly sealedSecret: Bytes;
}

interface Schema extends DBSchema {
  setup: { key: "kiosk"; value: StoredSetup };
}

export interface SetupStore {
  /** Undefined on a device that is not set up. */
  settings(): Promise<Settings | undefined>;
  /** The B2B secret; undefined where there is none. */
  secret(): Promise<string | undefined>;
  /** Replaces both. */
  save(settings: Settings, secret: string): Promise<void>;
}

const SETUP_DATABASE = "taglatch-kiosk-setup";

/** Every method throws {@link ConfigurationError} `storage_unavailable` if the browser gives no storage. */
export function openSetupStore(name = SETUP_DATABASE): SetupStore {
  const read = () => withDatabase(name, (db) => db.get("setup", "kiosk"));
  return {
    settings: async () => (await read())?.settings,
    secret: async () => {
      const stored = await read();
      if (stored === undefined) return undefined;
      const { key, iv, sealedSecret } = stored;
      return fromUtf8(
        new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, sealedSecret)),
      );
    },
    save: async (settings, secret) => {
      const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
        "encrypt",
        "decrypt",
      ]);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, utf8(secret));
      const sealedSecret = new Uint8Array(sealed);
      await withDatabase(name, (db) => db.put("setup", { settings, key, iv, sealedSecret }, "kiosk"));
    },
  };
}

async function withDatabase<T>(name: string, use: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  try {
    const db = await openDB<Schema>(name, 1, { upgrade: (fresh) => void fresh.createObjectStore("setup") });
    try {
      return await use(db);
    } finally {
      db.close();
    }
  } catch (cause) {
    throw new ConfigurationError("storage_unavailable", "the kiosk's set-up cannot be stored", { cause });
  }
}
