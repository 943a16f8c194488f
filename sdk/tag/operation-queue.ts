/** GATT operations one after the other, each with a time limit, until the link falls. */
import { orCancelled, within, withResolvers } from "../abort.ts";
import { BluetoothError } from "../errors.ts";

/** The tag holds a read for 5 s at most; this is longer. */
const OPERATION_TIMEOUT = 8_000;

/**
 * One GATT operation in flight at a time: real stacks refuse a second one, or lose the first. Runs them one
 * after the other until it is closed; then everything that waits fails with `link_lost`.
 */
export class OperationQueue {
  readonly #abandon: () => void;
  readonly #fall = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  /** `abandon` must end the connection: it is called when an operation is left unanswered. */
  constructor(abandon: () => void) {
    this.#abandon = abandon;
  }

  get open(): boolean {
    return !this.#fall.signal.aborted;
  }

  close(): void {
    this.#fall.abort();
  }

  /**
   * Runs `operation` in its turn. Cancelled while it waits, it never starts; cancelled in flight, it closes
   * the link.
   */
  async run<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const turn = this.#last;
    const { promise: done, resolve: finish } = withResolvers<void>();
    this.#last = Promise.all([turn, done]);
    let unanswered = false;
    try {
      await this.#whileOpen(() => orCancelled(signal, turn));
      return await this.#whileOpen(() => {
        unanswered = true;
        const work = operation().finally(() => {
          unanswered = false;
        });
        const late = () => new BluetoothError("timeout", "no answer within 8 s");
        return within(OPERATION_TIMEOUT, signal, work, late);
      });
    } finally {
      finish();
      if (unanswered) this.#abandon();
    }
  }

  async #whileOpen<T>(begin: () => Promise<T>): Promise<T> {
    const lost = () => new BluetoothError("link_lost", "the link to the tag fell");
    if (!this.open) throw lost();
    const work = begin();
    work.catch(() => undefined);
    const { promise, reject } = withResolvers<never>();
    // What arrived before the fall counts, though some steps lie between its arrival and here: a tag's last value is
    // its reason. A browser reports the two in tasks of their own; not every fake does.
    const onFall = () => setTimeout(() => reject(lost()));
    this.#fall.signal.addEventListener("abort", onFall);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#fall.signal.removeEventListener("abort", onFall);
    }
  }
}
