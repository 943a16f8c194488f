import {
  createTaglatch as create,
  type OutboxEntry,
  type OutboxEvent,
  type ServiceError,
  type Taglatch,
  type TaglatchConfig,
} from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/messages.ts";

/**
 * The SDK's client as a chunk of its own, loaded when first needed, and what the page does with its outbox; its errors
 * and types are in the first load.
 */
export const createTaglatch = (config: TaglatchConfig): Taglatch =>
  create({ outcomes: "operator", ...config });

/** The passenger's outbox, named by the SDK's defaults. */
const OWN = { audience: "passenger", databaseName: "taglatch" } as const;

/** Until an entry is tried that is due already, but that storage cannot note as tried (milliseconds). */
const OVERDUE = 15_000;

/** No pause is longer (milliseconds). */
const DAY = 86_400_000;

/** How an entry ended: the service has taken it, or refused it for good. */
export type Resolution =
  | { readonly type: "confirmed" }
  | { readonly type: "failed"; readonly error: ServiceError };

const CONFIRMED: Resolution = { type: "confirmed" };

/** How the page handles the outbox's events. */
export interface OutboxView {
  readonly entries: () => readonly OutboxEntry[];
  readonly show: (entries: readonly OutboxEntry[]) => void;
  readonly onEvent: (event: OutboxEvent) => void;
  readonly resolve: (entry: OutboxEntry, outcome: Resolution) => void;
  readonly sync: BackgroundSync | undefined;
}

export type OutboxWatch = ReturnType<typeof watchOutbox>;

/**
 * Shows the outbox of `client`, and tries each entry when its pause is over, when the network comes back and on return
 * to the page. It comes with the SDK, and so not with the first load.
 */
export function watchOutbox(client: Taglatch, view: OutboxView) {
  const { entries, show, resolve, sync } = view;
  const { plan, unplan } = createTimer(entries, () => wake());
  const pending = createPendingEntries(resolve);
  const read = async () => {
    const stored = await client.outbox.entries();
    pending.add(stored);
    show(stored);
    plan();
  };
  const flush = async (due: boolean) => {
    if (entries().length === 0) return;
    await client.outbox.flush({ due });
    await read().catch(plan);
  };
  const wake = () => {
    if (isAwake()) void flush(true);
    // A person who leaves while something is being sent may close the page before it has arrived.
    else if (entries().length > 0) sync?.request(OWN);
  };
  const onEvent = (event: OutboxEvent) => {
    if (event.type === "kept") sync?.request(OWN);
    if (event.type === "sent") pending.end(event.entry, CONFIRMED);
    if (event.type === "dropped") pending.end(event.entry, { type: "failed", error: event.error });
    view.onEvent(event);
    // A settled commit is reported at once.
    if (event.type === "settled" && event.written) void flush(true);
    void read().catch(plan);
  };
  /** The SDK on this page does not know what the service worker has sent, or left to this page to report. */
  const catchUp = async (sentIds: readonly string[]) => {
    await read().catch(plan);
    pending.sent(sentIds);
    if (isAwake()) await flush(true);
  };
  const stops = [
    client.outbox.subscribe(onEvent),
    sync?.onFlushed((sentIds) => void catchUp(sentIds)),
    listenTo(globalThis, "online", wake),
    listenTo(document, "visibilitychange", wake),
    unplan,
  ];
  return {
    /** Reads the outbox, and tries what is due. */
    start: async () => {
      await read().catch(plan);
      await flush(true);
    },
    /** Tries everything at once, as the person asked. */
    flush: () => flush(false),
    stop: () => {
      for (const stop of stops) stop?.();
    },
  };
}

/**
 * Entries that this page has seen, until their end is known: another context may have sent and deleted one before this
 * page reads it.
 */
function createPendingEntries(resolve: OutboxView["resolve"]) {
  const seen = new Map<string, OutboxEntry>();
  const end = (entry: OutboxEntry, outcome: Resolution) => {
    seen.delete(entry.id);
    resolve(entry, outcome);
  };
  return {
    add: (entries: readonly OutboxEntry[]) => {
      for (const entry of entries) seen.set(entry.id, entry);
    },
    end,
    sent: (ids: readonly string[]) => {
      for (const entry of [...seen.values()]) if (ids.includes(entry.id)) end(entry, CONFIRMED);
    },
  };
}

const isAwake = () => document.visibilityState === "visible" && navigator.onLine;

/** Wakes the page when the first pause is over. */
function createTimer(entries: OutboxView["entries"], wake: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unplan = () => clearTimeout(timer);
  const plan = () => {
    unplan();
    const pause = nextTry(entries()) - Date.now();
    if (Number.isFinite(pause)) timer = setTimeout(wake, pause > 0 ? Math.min(pause, DAY) : OVERDUE);
  };
  return { plan, unplan };
}

/** When the first pause is over; what waits for its tag is not tried. */
const nextTry = (entries: readonly OutboxEntry[]) =>
  Math.min(
    ...entries.flatMap(({ unresolved, nextTryAt = 0 }) => (unresolved === undefined ? [nextTryAt] : [])),
  );

function listenTo(target: EventTarget, name: string, listener: () => void): () => void {
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}
