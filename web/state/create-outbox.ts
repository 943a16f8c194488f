import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { OutboxEntry, OutboxEvent, ServiceError, Taglatch } from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/background-sync.ts";
import { whenIdle } from "./when-idle.ts";

/** Says only that something waits, so that a later visit loads the SDK at once instead of on intent. */
const WAITING_KEY = "taglatch.outbox-waiting";

export interface Outbox {
  readonly entries: Accessor<readonly OutboxEntry[]>;
  /** What the service refused for good; the person has to be told. */
  readonly dropped: Accessor<{ readonly entry: OutboxEntry; readonly error: ServiceError } | undefined>;
  readonly dismiss: () => void;
  readonly flush: () => Promise<void>;
  /** Calls back once the entry of this tag got through. */
  readonly onSent: (listener: (entry: OutboxEntry) => void) => () => void;
  /** To be called with the client as soon as it is there. */
  readonly attach: (client: Taglatch) => Promise<void>;
}

/** The passenger's, as the SDK's defaults name it. */
const OWN = { audience: "passenger", databaseName: "taglatch" } as const;

/**
 * The SDK's outbox as signals; flushed when the network comes back, on return to the page, at the start, and by the
 * service worker when the page is closed.
 */
export function createOutbox(load: () => Promise<Taglatch>, sync?: BackgroundSync): Outbox {
  const [entries, setEntries] = createSignal<readonly OutboxEntry[]>([]);
  const [dropped, setDropped] = createSignal<{ entry: OutboxEntry; error: ServiceError }>();
  const sentListeners = new Set<(entry: OutboxEntry) => void>();

  const read = async (client: Taglatch) => {
    const now = await client.outbox.entries();
    setEntries(now);
    remember(now.length > 0);
  };

  const hear = (client: Taglatch) => (event: OutboxEvent) => {
    if (event.type === "kept") sync?.request(OWN);
    if (event.type === "dropped") setDropped({ entry: event.entry, error: event.error });
    if (event.type === "sent") for (const listener of sentListeners) listener(event.entry);
    void read(client);
  };

  /** What the service worker has sent, the SDK here knows nothing of. */
  const catchUp = async () => {
    const before = entries();
    if (before.length === 0) return;
    await read(await load());
    const left = new Set(entries().map(({ id }) => id));
    for (const entry of before)
      if (!left.has(entry.id)) for (const listener of sentListeners) listener(entry);
  };

  const flush = async () => {
    if (entries().length === 0) return;
    const client = await load();
    await client.outbox.flush();
    await read(client);
  };

  const attach = async (client: Taglatch) => {
    client.outbox.subscribe(hear(client));
    await read(client);
    await flush();
  };

  onMount(() => {
    const retry = () => {
      if (document.visibilityState === "visible" && navigator.onLine) void flush();
      // Whoever leaves while something is on its way may close the page before it has arrived.
      else if (entries().length > 0) sync?.request(OWN);
    };
    const stopHearing = sync?.onFlushed(() => void catchUp());
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    onCleanup(() => {
      stopHearing?.();
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    });
    if (isRemembered()) whenIdle(() => void load());
  });

  return {
    entries,
    dropped,
    dismiss: () => setDropped(undefined),
    flush,
    onSent: (listener) => {
      sentListeners.add(listener);
      return () => sentListeners.delete(listener);
    },
    attach,
  };
}

function remember(waiting: boolean): void {
  try {
    if (waiting) localStorage.setItem(WAITING_KEY, "1");
    else localStorage.removeItem(WAITING_KEY);
  } catch {
    // A browser without storage forgets its outbox too: there is nothing to be reminded of.
  }
}

function isRemembered(): boolean {
  try {
    return localStorage.getItem(WAITING_KEY) !== null;
  } catch {
    return false;
  }
}
