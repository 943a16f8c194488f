import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type {
  OutboxEntry,
  OutboxEvent,
  Result,
  ServiceError,
  SettleResult,
  Taglatch,
} from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/messages.ts";
import { whenIdle } from "./browser.ts";
import type { OutboxView, OutboxWatch } from "./sdk-client.ts";

export type Outbox = ReturnType<typeof createOutbox>;

/** The SDK's outbox as signals; sdk-client.ts says when it is flushed. */
export function createOutbox(load: () => Promise<Taglatch>, sync?: BackgroundSync) {
  const [entries, show] = createSignal<readonly OutboxEntry[]>([]);
  /** The entry that the service refused for good, to show it. */
  const [dropped, setDropped] = createSignal<{ entry: OutboxEntry; error: ServiceError }>();
  const { onEvent, ...unresolved } = createUnresolvedCommits(entries, load);
  const listeners = new Set<OutboxView["resolve"]>();
  const resolve: OutboxView["resolve"] = (entry, outcome) => {
    if (outcome.type === "failed") setDropped({ entry, error: outcome.error });
    for (const listener of listeners) listener(entry, outcome);
  };
  let watch: OutboxWatch | undefined;
  // Entries of an earlier visit load the SDK at once, not only when it is used.
  onMount(() => whenIdle(() => void isOutboxEmpty("taglatch").then((empty) => void (empty || load()))));
  onCleanup(() => watch?.stop());

  /** Call it with the client before anything uses that; it then reports what it does. */
  const attach = async (client: Taglatch) => {
    // In the chunk that has made the client.
    const { watchOutbox } = await import("./sdk-client.ts");
    watch = watchOutbox(client, { entries, show, onEvent, resolve, sync });
    void watch.start();
  };
  return {
    entries,
    dropped,
    unresolved,
    attach,
    dismiss: () => void setDropped(undefined),
    /** Tries everything at once, as the person asked. */
    flush: async () => watch?.flush(),
    /** Calls back once an entry was sent, or refused for good. */
    onResolved: (listener: OutboxView["resolve"]) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The screen may still show a journey as it was before the waiting work was sent. */
export function markSent(
  outbox: Pick<Outbox, "onResolved">,
  bags: {
    readonly markAttached: (baggageId: number, device: string) => void;
    readonly markCleared: (device: string) => void;
  },
): void {
  outbox.onResolved(({ kind, baggageId, uniqueDeviceId }, { type }) => {
    if (type === "failed") return;
    if (kind === "unlock") bags.markCleared(uniqueDeviceId);
    else if (baggageId !== undefined) bags.markAttached(baggageId, uniqueDeviceId);
  });
}

export type UnresolvedCommits = Outbox["unresolved"];

/** Commits whose outcome a closed page could not learn: only the tag's statement resolves them. */
function createUnresolvedCommits(entries: Accessor<readonly OutboxEntry[]>, load: () => Promise<Taglatch>) {
  const [notCommitted, setNotCommitted] = createSignal<OutboxEntry>();
  return {
    entries: () => entries().filter(({ unresolved }) => unresolved !== undefined),
    /** Lets the person hold the tag near: call it from a tap, it opens the chooser. */
    settle: async ({ uniqueDeviceId }: OutboxEntry) => settleTag(await load(), uniqueDeviceId),
    /** For a person who no longer has the tag. */
    dismissEntry: async ({ id }: OutboxEntry) => (await load()).outbox.dismiss(id),
    /** The tag has settled it: not committed. */
    notCommitted,
    dismiss: () => void setNotCommitted(undefined),
    onEvent: (event: OutboxEvent) => {
      if (event.type === "settled" && !event.written) setNotCommitted(event.entry);
    },
  };
}

/** Picks the tag, settles its commit, disconnects. */
async function settleTag(client: Taglatch, uniqueDeviceId: string): Promise<Result<SettleResult>> {
  const picked = await client.pickTag({ uniqueDeviceId });
  if (!picked.ok) return picked;
  const { deviceId } = picked.value;
  const settled = await client.settleTag({ deviceId, uniqueDeviceId });
  await client.disconnect(deviceId);
  return settled;
}

/** Entries that wait for the service. */
export const waiting = (entries: readonly OutboxEntry[]) =>
  entries.filter(({ unresolved }) => unresolved === undefined);

/**
 * Whether the SDK's outbox in `databaseName` is empty, without loading the SDK. Reads the database itself: a browser
 * that is killed may lose a flag beside it.
 */
export async function isOutboxEmpty(databaseName: string): Promise<boolean> {
  try {
    // Opening a database that is not there would make one.
    const all = await indexedDB.databases();
    if (!all.some(({ name }) => name === databaseName)) return true;
    const database = await answerOf(indexedDB.open(databaseName));
    try {
      return (await answerOf(database.transaction("outbox").objectStore("outbox").count())) === 0;
    } finally {
      database.close();
    }
  } catch {
    // A browser without storage has no outbox either.
    return true;
  }
}

const answerOf = <Value>(request: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
