/**
 * Jobs at tags and new versions of the page, kept apart across all windows of this browser by one Web Lock (W3C): each
 * job holds its share of it, an installation wants it whole. A browser without Web Locks keeps them apart within one
 * window only, as the page itself does.
 */
const NAME = "taglatch.job";

export interface Turn {
  /** Called once where a job runs somewhere: the work is done as soon as none does. */
  readonly onWait?: (() => void) | undefined;
  /** Ends the waiting; what has begun goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** A job begins; it is over once the function returned is called. */
export function holdJobLock(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new AbortController();
  // A job waits for nothing, and least for a window that wants to install: that one lets it go first. Nothing refuses
  // the request but our own `over`.
  void locks()
    ?.request(NAME, { mode: "shared", signal: over.signal }, () => promise)
    .catch(() => undefined);
  return () => {
    resolve();
    over.abort();
  };
}

/** Does `work` while no window has a job. Settles when it is done, or given up by `signal`. */
export async function betweenJobs(work: () => Promise<void>, { onWait, signal }: Turn = {}): Promise<void> {
  const all = locks();
  if (!all) return work();
  const isDone = await all.request(NAME, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
    return lock !== null;
  });
  if (!isDone && !signal?.aborted) {
    onWait?.();
    await afterJobs(all, work, signal);
  }
}

async function afterJobs(all: LockManager, work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  try {
    let isDone = false;
    while (!isDone) {
      isDone = await all.request(NAME, signal ? { signal } : {}, async () => {
        // Who came after us has begun all the same: to the end of the queue.
        if (signal?.aborted || (await jobsWait(all))) return false;
        await work();
        return true;
      });
      if (signal?.aborted) return;
    }
  } catch (thrown) {
    if (!signal?.aborted) throw thrown;
  }
}

async function jobsWait(all: LockManager): Promise<boolean> {
  const { pending = [] } = await all.query();
  return pending.some(({ name, mode }) => name === NAME && mode === "shared");
}

/** Also absent where the page is not in a secure context. */
const locks = () => navigator.locks as LockManager | undefined;
