import { afterEach, describe, expect, test, vi } from "vitest";
import { betweenJobs, holdJobLock } from "./job-lock.ts";

afterEach(() => vi.unstubAllGlobals());

/** Until a window knows that it must wait: the platform answers in a later task. */
const waits = (events: readonly string[]) =>
  vi.waitFor(() => expect(events).toEqual(["waits"]), { timeout: 60_000, interval: 1 });

/** Long enough for what must not happen. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 20));

interface Waiter {
  readonly events: string[];
  readonly over: Promise<void>;
  readonly stop: AbortController;
}

function install(): Waiter {
  const events: string[] = [];
  const stop = new AbortController();
  const work = async () => {
    events.push("installed");
  };
  const over = betweenJobs(work, { onWait: () => events.push("waits"), signal: stop.signal });
  return { events, over, stop };
}

describe("a new version", () => {
  test("is installed at once where no window has a job", async () => {
    const { events, over } = install();
    await over;
    expect(events).toEqual(["installed"]);
  });

  test("waits for every job, and says that it does", async () => {
    const ends = [holdJobLock(), holdJobLock()];
    const { events, over } = install();
    await waits(events);
    ends[0]?.();
    await aWhile();
    expect(events).toEqual(["waits"]);
    ends[1]?.();
    await over;
    expect(events).toEqual(["waits", "installed"]);
  });

  test("waits for a job too that began while it waited already", async () => {
    const endFirst = holdJobLock();
    const { events, over } = install();
    await waits(events);
    const endSecond = holdJobLock();
    endFirst();
    await aWhile();
    expect(events).toEqual(["waits"]);
    endSecond();
    await over;
    expect(events).toEqual(["waits", "installed"]);
  });
});

describe("a new version, where the waiting is short", () => {
  test("that is given up while it waits is not installed afterwards", async () => {
    const end = holdJobLock();
    const { events, over, stop } = install();
    await waits(events);
    stop.abort();
    await over;
    end();
    await aWhile();
    expect(events).toEqual(["waits"]);
  });

  test("does not wait for a job that is over before the lock was granted", async () => {
    holdJobLock()();
    const { events, over } = install();
    await over;
    expect(events.at(-1)).toBe("installed");
  });

  test("is installed at once by a browser without Web Locks", async () => {
    vi.stubGlobal("navigator", {});
    const end = holdJobLock();
    const { events, over } = install();
    await over;
    end();
    expect(events).toEqual(["installed"]);
  });
});
