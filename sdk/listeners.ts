/**
 * Notifies hosts of what happened. A listener that throws must not end a transfer half way: it fails on its own.
 */
export type Listener<Event> = (event: Event) => void;

/** Calls `listener`; if it throws, the host's own error handling gets the error, not the caller. */
export function notify<Event>(listener: Listener<Event> | undefined, event: Event): void {
  try {
    listener?.(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Listeners of one kind of event. */
export class Listeners<Event> {
  readonly #all = new Set<Listener<Event>>();

  /** Returns the function that removes it. */
  add(listener: Listener<Event>): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  notify(event: Event): void {
    for (const listener of [...this.#all]) notify(listener, event);
  }
}
