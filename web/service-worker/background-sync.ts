/**
 * Background Sync, where the browser has it: asks the browser to wake the service worker for an outbox, and
 * reports when the worker has flushed the outbox.
 */
import { OUTBOX_FLUSHED, syncTag, type WaitingOutbox } from "./messages.ts";

export interface BackgroundSync {
  /** Something waits: the browser may flush it when it is online, whether or not the page is open. */
  readonly request: (waiting: WaitingOutbox) => void;
  /** Calls back after the service worker has flushed, with what it has sent; returns the function that stops this. */
  readonly onFlushed: (listener: (sentIds: readonly string[]) => void) => () => void;
}

interface WithSync {
  readonly sync?: { register(tag: string): Promise<void> };
}

export const backgroundSync: BackgroundSync = {
  request: (waiting) => void register(syncTag(waiting)),
  onFlushed: (listener) => {
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
