/**
 * Keeps jobs at tags and new versions of the page apart, across all windows of this browser, by one Web Lock
 * (W3C): each job holds a share of it, an installation needs all of it. Without Web Locks they are kept apart
 * within one window only, by the page itself.
 */
const NAME = "taglatch.job";

export interface Turn {
  /** Called once if a job runs in any window: the work is done as soon as none does. */
  readonly onWait?: (() => void) | undefined;
  /** Ends the waiting; work that has begun continues. */
  readonly signal?: AbortSignal | undefined;
}

/** A job begins; it ends when the returned function is called. */
export function holdJobLock(): () => void {
  const over = new AbortController();
  // A job never waits, least of all for a window that wants to install: that window lets the job go first.
  // Only our own `over` ends this request.
  const ended = new Promise<unknown>((resolve) => {
    over.signal.onabort = resolve;
  });
  void locks()
    ?.request(NAME, { mode: "shared", signal: over.signal }, () => ended)
    .catch(() => undefined);
  return () => over.abort();
}

/** Does `work` while no window has a job. Settles when it is done, or when `signal` ends the wait. */
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
        // A job that came after us has begun all the same: back to the end of the queue.
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

/** Also absent if the page is not in a secure context. */
const locks = () => navigator.locks as LockManager | undefined;
