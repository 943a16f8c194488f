import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { OutboxEntry, ServiceError, Taglatch } from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/background-sync.ts";
import { isOutboxEmpty } from "./is-outbox-empty.ts";
import { createTagQuestions, type TagQuestions } from "./tag-questions.ts";
import type { OutboxView, OutboxWatch } from "./watch-outbox.ts";
import { whenIdle } from "./when-idle.ts";

export interface Outbox {
  readonly entries: Accessor<readonly OutboxEntry[]>;
  /** What the service refused for good; the person must know. */
  readonly dropped: Accessor<{ readonly entry: OutboxEntry; readonly error: ServiceError } | undefined>;
  readonly dismiss: () => void;
  readonly questions: TagQuestions;
  /** Tries everything at once: a person asks. */
  readonly flush: () => Promise<void>;
  /** Calls back once an entry was sent, or refused for good. */
  readonly onResolved: (listener: OutboxView["resolve"]) => () => void;
  /** Call it with the client before anything uses that; it then reports what it does. */
  readonly attach: (client: Taglatch) => Promise<void>;
}

/** The SDK's outbox as signals; watch-outbox.ts says when it is flushed. */
export function createOutbox(load: () => Promise<Taglatch>, sync?: BackgroundSync): Outbox {
  const [entries, show] = createSignal<readonly OutboxEntry[]>([]);
  const [dropped, setDropped] = createSignal<{ entry: OutboxEntry; error: ServiceError }>();
  const { onEvent, ...questions } = createTagQuestions(entries, load);
  const listeners = new Set<OutboxView["resolve"]>();
  const resolve: OutboxView["resolve"] = (entry, outcome) => {
    if (outcome.type === "failed") setDropped({ entry, error: outcome.error });
    for (const listener of listeners) listener(entry, outcome);
  };
  let watch: OutboxWatch | undefined;
  // What waits since an earlier visit wants the SDK at once, and not only when it is needed.
  onMount(() => whenIdle(() => void isOutboxEmpty("taglatch").then((empty) => void (empty || load()))));
  onCleanup(() => watch?.stop());

  const attach = async (client: Taglatch) => {
    // In the chunk that has made the client.
    const { watchOutbox } = await import("./sdk-client.ts");
    watch = watchOutbox(client, { entries, show, onEvent, resolve, sync });
    void watch.start();
  };
  return {
    ...{ entries, dropped, questions, attach },
    dismiss: () => void setDropped(undefined),
    flush: async () => watch?.flush(),
    onResolved: (listener) => {
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
