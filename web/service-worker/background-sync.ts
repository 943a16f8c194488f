/** Background Sync, where the browser has it: asks to be woken for an outbox, and tells when it was emptied meanwhile. */
import { OUTBOX_FLUSHED, syncTag, type WaitingOutbox } from "./messages.ts";

export interface BackgroundSync {
  /** Something waits: the browser may flush it when it is online, page or no page. */
  readonly request: (waiting: WaitingOutbox) => void;
  /** Calls back after the service worker has flushed; returns how to stop. */
  readonly onFlushed: (listener: () => void) => () => void;
}

interface WithSync {
  readonly sync?: { register(tag: string): Promise<void> };
}

export const backgroundSync: BackgroundSync = {
  request: (waiting) => void register(syncTag(waiting)),
  onFlushed: (listener) => {
    const hear = ({ data }: MessageEvent<{ type?: unknown } | null>) => {
      if (data?.type === OUTBOX_FLUSHED) listener();
    };
    container()?.addEventListener("message", hear);
    return () => container()?.removeEventListener("message", hear);
  },
};

const container = () => navigator.serviceWorker as ServiceWorkerContainer | undefined;

async function register(tag: string): Promise<void> {
  try {
    // Not `ready`: without a worker that would never settle.
    const registration = (await container()?.getRegistration()) as WithSync | undefined;
    await registration?.sync?.register(tag);
  } catch {
    // Refused by the person's settings: `online`, coming back to the page and its start still flush.
  }
}
