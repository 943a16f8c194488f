/** One GATT operation in flight at a time: real stacks refuse a second one, or lose the first. */
import { orCancelled, within } from "../abort.ts";
import { BluetoothError } from "../errors.ts";

/** The tag holds a read back for 5 s at most; this is longer. */
const OPERATION_TIMEOUT = 8_000;

/** Runs operations one after the other until it is closed; everything waiting then fails with `link_lost`. */
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

  /** `operation` in its turn. Cancelled while waiting, it never starts; cancelled in flight, the link is given up. */
  async run<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const turn = this.#last;
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    this.#last = Promise.all([turn, done]);
    let unanswered = false;
    try {
      await this.#whileOpen(orCancelled(signal, turn));
      unanswered = true;
      const work = operation().finally(() => {
        unanswered = false;
      });
      const late = () => new BluetoothError("timeout", "no answer within 8 s");
      return await this.#whileOpen(within(OPERATION_TIMEOUT, signal, work, late));
    } finally {
      finish();
      if (unanswered) this.#abandon();
    }
  }

  async #whileOpen<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const lost = () => new BluetoothError("link_lost", "the link to the tag fell");
    if (!this.open) throw lost();
    const { promise, reject } = Promise.withResolvers<never>();
    const onFall = () => reject(lost());
    this.#fall.signal.addEventListener("abort", onFall, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#fall.signal.removeEventListener("abort", onFall);
    }
  }
}
