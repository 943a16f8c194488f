/**
 * The order of several concurrent callers: each waits before every call of the database until all of them wait or
 * are done, and then one goes on. The order is given, so a seed repeats it, and any caller may be overtaken for as long
 * as it takes.
 */
export interface Turns {
  /** Waits for its turn; at least one caller always acts. */
  readonly next: () => Promise<void>;
  /** Lets `callers` act at once; `order` says which of the waiting goes on, the first of them when it is over. */
  readonly take: <T>(callers: readonly (() => Promise<T>)[], order: readonly number[]) => Promise<T[]>;
}

export function turns(): Turns {
  const waiting: (() => void)[] = [];
  let acting = 0;
  let picks: number[] = [];
  const go = () => {
    if (waiting.length === 0 || waiting.length < acting) return;
    const [chosen] = waiting.splice((picks.shift() ?? 0) % waiting.length, 1);
    chosen?.();
  };
  return {
    next: () =>
      acting === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
            go();
          }),
    take: (callers, order) => {
      acting = callers.length;
      picks = [...order];
      const done = () => {
        acting -= 1;
        go();
      };
      return Promise.all(callers.map((act) => act().finally(done)));
    },
  };
}
