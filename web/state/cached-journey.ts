/**
 * The last journey, cached on this device so that the page can start without a network. It is sealed (AES-GCM) under
 * a key that cannot be exported, stored only while its lock lives, and holds only what the journey's screen shows.
 * Loaded on demand.
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { fromUtf8, utf8 } from "../../core/encoding/bytes.ts";
import type { Journey } from "../../sdk/index.ts";
import { betweenJobs } from "./job-lock.ts";

export interface CachedJourney {
  readonly journey: Journey;
  /** Milliseconds since 1970: when the service sent it. */
  readonly asOf: number;
}

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
  /** Milliseconds since 1970; in clear, so that the record can be erased without being read. */
  readonly until: number;
}

/** A tag that this device wrote or cleared. */
export interface KnownTag {
  readonly name: string;
  readonly uniqueDeviceId: string;
  /** Per cent, when it was last connected. */
  readonly battery?: number | undefined;
  /** Absent: it was cleared, or the trip of its label is over. */
  readonly label?: { readonly destination: string; readonly date: string } | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Schema extends DBSchema {
  kept: { key: "key" | "journey" | "tags"; value: CryptoKey | Sealed | readonly KnownTag[] };
}

const DATABASE = "taglatch-journey";
const AES = { name: "AES-GCM", length: 256 } as const;
const HOUR = 3_600_000;

/** Between this browser's windows: the cached journey was erased. */
const erased = new BroadcastChannel("taglatch.journey-erased");
// This window still shows what another erased, and might cache it again. A job at a tag ends first.
erased.onmessage = () => void betweenJobs(async () => location.replace("/"));

/** When its lock ends (rules §2): 24 h after the last scheduled arrival, else 72 h after its date. */
export function endOf(journey: Journey): number {
  const last = journey.flights.at(-1);
  if (last === undefined) return 0;
  if (last.scheduledArrival !== undefined) return Date.parse(last.scheduledArrival) + 24 * HOUR;
  return Date.parse(`${last.date}T00:00:00Z`) + 72 * HOUR;
}

export async function saveCachedJourney({ journey, asOf }: CachedJourney): Promise<void> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  await using(async (db) => {
    const key = ((await db.get("kept", "key")) as CryptoKey | undefined) ?? (await newKey());
    const content = utf8(JSON.stringify({ journey, asOf } satisfies CachedJourney));
    const data = await crypto.subtle.encrypt({ name: AES.name, iv }, key, content);
    const transaction = db.transaction("kept", "readwrite");
    await Promise.all([
      transaction.store.put(key, "key"),
      transaction.store.put({ iv, data, until: endOf(journey) }, "journey"),
      transaction.done,
    ]);
  });
}

/** Undefined if nothing is cached; erases what is past its end. `now`: milliseconds since 1970. */
export const readCachedJourney = (now: number): Promise<CachedJourney | undefined> =>
  using(async (db) => {
    const [key, sealed] = await Promise.all([db.get("kept", "key"), db.get("kept", "journey")]);
    if (!(key instanceof CryptoKey) || sealed === undefined || !("iv" in sealed)) return undefined;
    if (sealed.until <= now) {
      await forgetTrip(db);
      return undefined;
    }
    const content = await crypto.subtle.decrypt({ name: AES.name, iv: sealed.iv }, key, sealed.data);
    return JSON.parse(fromUtf8(new Uint8Array(content))) as CachedJourney;
  });

/** The trip goes, and with it where its labels went; the tags stay. */
async function forgetTrip(db: Database): Promise<void> {
  const tags = await tagsIn(db);
  const bare = tags.map(({ label: _label, ...tag }) => tag);
  const transaction = db.transaction("kept", "readwrite");
  await Promise.all([
    transaction.store.delete("key"),
    transaction.store.delete("journey"),
    transaction.store.put(bare, "tags"),
    transaction.done,
  ]);
}

/** More would be a list to scroll. */
const TAGS_KEPT = 12;

/** The tags that this device wrote or cleared, newest first. */
export const knownTags = (): Promise<readonly KnownTag[]> => using(tagsIn);

/** In the place of what was known of the tag. */
export const keepTag = (tag: KnownTag): Promise<void> =>
  using(async (db) => {
    const transaction = db.transaction("kept", "readwrite");
    const others = listed(await transaction.store.get("tags")).filter(
      ({ uniqueDeviceId }) => uniqueDeviceId !== tag.uniqueDeviceId,
    );
    await Promise.all([
      transaction.store.put([tag, ...others].slice(0, TAGS_KEPT), "tags"),
      transaction.done,
    ]);
  });

const tagsIn = async (db: Database) => listed(await db.get("kept", "tags"));

const listed = (tags: Schema["kept"]["value"] | undefined) =>
  Array.isArray(tags) ? (tags as readonly KnownTag[]) : [];

async function using<Value>(work: (db: Database) => Promise<Value>): Promise<Value> {
  const db = await open();
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

/** In every window of this browser. */
export async function eraseCachedJourney(): Promise<void> {
  await using((db) => db.clear("kept"));
  erased.postMessage(null);
}

const newKey = () => crypto.subtle.generateKey(AES, false, ["encrypt", "decrypt"]);

type Database = IDBPDatabase<Schema>;
const open = () => openDB<Schema>(DATABASE, 1, { upgrade: (db) => void db.createObjectStore("kept") });
