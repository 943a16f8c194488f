/**
 * Puts the platform's own work in order: WebCrypto, and `setImmediate`, on which fake IndexedDB runs. Once this file is
 * imported, calls are answered in the order in which they were made, one per turn of the event loop. So the result does
 * not depend on how fast the machine computes. Everything else that a scenario waits for is a clock.
 */
import { P256 } from "../../core/sec/ecdh.ts";

const immediate = globalThis.setImmediate;
let last: Promise<void> = Promise.resolve();

/**
 * Resolves when nothing waits for anything but time. In each turn, every promise that can continue does so, and may start
 * more work.
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
  return new Promise((resolve) => {
    immediate(() => {
      try {
        action();
      } finally {
        resolve();
      }
    });
  });
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
