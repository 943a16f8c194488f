import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { OutboxEntry, OutboxEvent, ServiceError, Taglatch } from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/background-sync.ts";
import { isOutboxEmpty } from "./is-outbox-empty.ts";
import { createTagQuestions, type TagQuestions } from "./tag-questions.ts";
import { whenIdle } from "./when-idle.ts";

export interface Outbox {
  readonly entries: Accessor<readonly OutboxEntry[]>;
  /** What the service refused for good; the person must be told. */
  readonly dropped: Accessor<{ readonly entry: OutboxEntry; readonly error: ServiceError } | undefined>;
  readonly dismiss: () => void;
  readonly questions: TagQuestions;
  readonly flush: () => Promise<void>;
  /** Calls back once an entry was sent. */
  readonly onSent: (listener: (entry: OutboxEntry) => void) => () => void;
  /** Call it with the client as soon as there is one. */
  readonly attach: (client: Taglatch) => Promise<void>;
}

/** The passenger's outbox, named by the SDK's defaults. */
const OWN = { audience: "passenger", databaseName: "taglatch" } as const;

/**
 * The SDK's outbox as signals. It is flushed when the network comes back, on return to the page, at the
 * start, and by the service worker when the page is closed.
 */
export function createOutbox(load: () => Promise<Taglatch>, sync?: BackgroundSync): Outbox {
  const [entries, setEntries] = createSignal<readonly OutboxEntry[]>([]);
  const [dropped, setDropped] = createSignal<{ entry: OutboxEntry; error: ServiceError }>();
  const { hear: hearTag, ...questions } = createTagQuestions(entries, load);
  const sentListeners = new Set<(entry: OutboxEntry) => void>();
  const tellSent = (entry: OutboxEntry) => {
    for (const listener of sentListeners) listener(entry);
  };

  const read = async (client: Taglatch) => void setEntries(await client.outbox.entries());
  const hear = (client: Taglatch) => (event: OutboxEvent) => {
    if (event.type === "kept") sync?.request(OWN);
    if (event.type === "dropped") setDropped({ entry: event.entry, error: event.error });
    if (event.type === "sent") tellSent(event.entry);
    hearTag(event);
    // What the tag has just confirmed, the service should hear at once.
    if (event.type === "settled" && event.written) void flush();
    void read(client);
  };
  const flush = async () => {
    if (entries().length === 0) return;
    const client = await load();
    await client.outbox.flush();
    await read(client);
  };
  /** The SDK on this page does not know what the service worker has sent. */
  const catchUp = async () => {
    const before = entries();
    if (before.length === 0) return;
    await read(await load());
    const left = new Set(entries().map(({ id }) => id));
    for (const entry of before) if (!left.has(entry.id)) tellSent(entry);
  };
  createRetries({ isWaiting: () => entries().length > 0, flush, catchUp, load, sync });

  const onSent = (listener: (entry: OutboxEntry) => void) => {
    sentListeners.add(listener);
    return () => sentListeners.delete(listener);
  };
  const attach = async (client: Taglatch) => {
    client.outbox.subscribe(hear(client));
    await read(client);
    await flush();
  };
  const dismiss = () => void setDropped(undefined);
  return { entries, dropped, dismiss, questions, flush, onSent, attach };
}

interface Retries {
  readonly isWaiting: () => boolean;
  readonly flush: () => Promise<void>;
  readonly catchUp: () => Promise<void>;
  readonly load: () => Promise<Taglatch>;
  readonly sync: BackgroundSync | undefined;
}

/** The occasions on which waiting work is tried again. */
function createRetries({ isWaiting, flush, catchUp, load, sync }: Retries): void {
  onMount(() => {
    const retry = () => {
      if (document.visibilityState === "visible" && navigator.onLine) void flush();
      // Somebody who leaves while something is being sent may close the page before it has arrived.
      else if (isWaiting()) sync?.request(OWN);
    };
    const stopHearing = sync?.onFlushed(() => void catchUp());
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    onCleanup(() => {
      stopHearing?.();
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    });
    // What waits since an earlier visit wants the SDK at once, and not only when it is needed.
    whenIdle(() => void isOutboxEmpty(OWN.databaseName).then((empty) => void (empty || load())));
  });
}

/** The screen may still show a journey as it was before the waiting work was sent. */
export function markSent(
  outbox: Pick<Outbox, "onSent">,
  bags: {
    readonly markAttached: (baggageId: number, device: string) => void;
    readonly markCleared: (device: string) => void;
  },
): void {
  outbox.onSent(({ kind, baggageId, uniqueDeviceId }) => {
    if (kind === "unlock") bags.markCleared(uniqueDeviceId);
    else if (baggageId !== undefined) bags.markAttached(baggageId, uniqueDeviceId);
  });
}
