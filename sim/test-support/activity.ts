/**
 * Work of the platform: WebCrypto, and `setImmediate`, on which fake IndexedDB runs. Once this file is
 * imported, they answer in the order in which they were begun, one per turn of the event loop, so that what
 * happens does not depend on how long a machine computes. Everything else of a scenario leaves the JavaScript
 * only through a clock.
 */
import { P256 } from "../../core/sec/ecdh.ts";

const immediate = globalThis.setImmediate;
let last: Promise<void> = Promise.resolve();

/**
 * Resolves when everybody waits for time alone. A turn lets every promise that can continue do so, and begin
 * more.
 */
export async function calm(): Promise<void> {
  let seen: Promise<void>;
  do {
    seen = last;
    await seen;
    await turn(() => undefined);
  } while (seen !== last);
}

function turn(action: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  immediate(() => {
    try {
      action();
    } finally {
      resolve();
    }
  });
  return promise;
}

type Operation = (...values: unknown[]) => Promise<unknown>;

/** Asks the prototype at each call, so that a test may slow it down. */
function orderCrypto(): void {
  const { subtle } = crypto;
  const prototype = Object.getPrototypeOf(subtle) as Readonly<Record<string, Operation>>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    if (name === "constructor" || typeof property?.value !== "function") continue;
    const ordered: Operation = async (...values) => {
      const answer = prototype[name]?.apply(subtle, values);
      const before = last;
      last = Promise.allSettled([answer, before]).then(() => turn(() => undefined));
      await last;
      return answer;
    };
    Object.defineProperty(subtle, name, { value: ordered, configurable: true, writable: true });
  }
}

function orderImmediates(): void {
  const ordered = (action: (...values: unknown[]) => void, ...values: unknown[]) => {
    last = last.then(() => turn(() => action(...values)));
  };
  Object.defineProperty(globalThis, "setImmediate", { value: ordered, configurable: true, writable: true });
}

orderCrypto();
orderImmediates();
// The loading of a file cannot be ordered, so what core loads when first needed is loaded before the
// scenario.
await P256.fromPrivate(new Uint8Array(32).fill(1));
