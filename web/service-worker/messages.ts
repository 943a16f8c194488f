/** The messages between page and service worker, all in one place. */

/** Page → worker: the person agreed to the new version. */
export const SKIP_WAITING = "SKIP_WAITING";

/** Page → worker: keep the files in these folders of /assets (`folders`), too. */
export const KEEP_FILES = "KEEP_FILES";

/** Worker → pages: outboxes were flushed in the background (`sentIds`: what was sent); read them again. */
export const OUTBOX_FLUSHED = "OUTBOX_FLUSHED";

/** Identifies the waiting outbox: the sync tag names the SDK's audience and database. */
export interface WaitingOutbox {
  readonly audience: "passenger" | "kiosk";
  readonly databaseName: string;
}

const syncTag = ({ audience, databaseName }: WaitingOutbox) => `outbox:${audience}:${databaseName}`;

/** Undefined for the tags of other code. */
export function outboxOf(tag: string): WaitingOutbox | undefined {
  const [, audience, databaseName] = /^outbox:(passenger|kiosk):([\w-]+)$/.exec(tag) ?? [];
  if (databaseName === undefined) return undefined;
  return { audience: audience === "kiosk" ? "kiosk" : "passenger", databaseName };
}

/**
 * Background Sync, where the browser has it: asks the browser to wake the service worker for an outbox, and
 * reports when the worker has flushed the outbox.
 */

export type BackgroundSync = typeof backgroundSync;

interface WithSync {
  readonly sync?: { register(tag: string): Promise<void> };
}

export const backgroundSync = {
  /** Something waits: the browser may flush it when it is online, whether or not the page is open. */
  request: (waiting: WaitingOutbox) => void register(syncTag(waiting)),
  /** Calls back after the service worker has flushed, with what it has sent; returns the function that stops this. */
  onFlushed: (listener: (sentIds: readonly string[]) => void) => {
    const onMessage = ({ data }: MessageEvent<{ type?: unknown; sentIds?: readonly string[] } | null>) => {
      // A worker of an earlier version names none.
      if (data?.type === OUTBOX_FLUSHED) listener(data.sentIds ?? []);
    };
    container()?.addEventListener("message", onMessage);
    return () => container()?.removeEventListener("message", onMessage);
  },
};

const container = () => navigator.serviceWorker as ServiceWorkerContainer | undefined;

async function register(tag: string): Promise<void> {
  try {
    // Not `ready`: without a service worker that would never settle.
    const registration = (await container()?.getRegistration()) as WithSync | undefined;
    await registration?.sync?.register(tag);
  } catch {
    // The person's settings refuse it: the `online` event, a return to the page and its start still flush.
  }
}
