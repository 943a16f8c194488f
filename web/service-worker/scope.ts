import type { Windows } from "./news.ts";

/** What this worker uses of its global scope; the DOM's types only know pages. */

export interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

/** Background Sync (WICG): the browser is online and has time. */
export interface SyncEvent extends ExtendableEvent {
  readonly tag: string;
}

export interface MessageToWorker extends ExtendableEvent {
  readonly data: unknown;
}

/** A notification of ours was tapped. */
export interface NotificationTap extends ExtendableEvent {
  readonly notification: { close(): void };
}

interface WorkerEvents {
  readonly install: ExtendableEvent;
  readonly activate: ExtendableEvent;
  readonly message: MessageToWorker;
  readonly sync: SyncEvent;
  readonly push: ExtendableEvent;
  readonly notificationclick: NotificationTap;
}

interface WorkerScope extends Windows {
  readonly clients: Windows["clients"] & {
    claim(): Promise<void>;
    matchAll(options: {
      type: "window";
      includeUncontrolled: boolean;
    }): Promise<readonly { postMessage(message: unknown): void }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
}

export const scope = globalThis as unknown as WorkerScope;
