import { afterEach, describe, expect, test, vi } from "vitest";
import { lackingBrowser } from "./browser.ts";
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

const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
const ANDROID =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36";

test.each([
  ["an iPhone", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/142 Mobile Safari", 5, "ios"],
  ["an iPad that calls itself a Mac", MAC, 5, "ios"],
  ["a Mac", MAC, 0, undefined],
  ["Chrome on Android", ANDROID, 5, undefined],
  ["a WebView on Android", ANDROID.replace("Pixel 8)", "Pixel 8; wv)"), 5, "inApp"],
  ["a browser inside an app", `${ANDROID} [FB_IAB/FB4A;FBAV/480.0]`, 5, "inApp"],
] as const)("%s is distinguished", (_name, userAgent, maxTouchPoints, kind) => {
  expect(lackingBrowser({ userAgent, maxTouchPoints })).toBe(kind);
});
