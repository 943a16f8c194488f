/** WebCrypto as on a busy machine: each operation answers some milliseconds late, in no order. */
import { seeded } from "../seeded.ts";

const real = globalThis.setTimeout;

type Operation = (...values: unknown[]) => Promise<unknown>;

/** Resolves as `work` does, with slow WebCrypto. */
export async function withSlowCrypto<Value>(work: () => Promise<Value>): Promise<Value> {
  const prototype = Object.getPrototypeOf(crypto.subtle) as Record<string, Operation>;
  const random = seeded(1);
  const quick = Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const operation: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    return name !== "constructor" && typeof operation === "function"
      ? [[name, operation as Operation] as const]
      : [];
  });
  for (const [name, operation] of quick)
    prototype[name] = async function late(this: SubtleCrypto, ...values: unknown[]) {
      const answer = operation.apply(this, values);
      await answer.catch(() => undefined);
      await new Promise((resolve) => void real(resolve, 4 * random()));
      return answer;
    };
  try {
    return await work();
  } finally {
    for (const [name, operation] of quick) prototype[name] = operation;
  }
}
