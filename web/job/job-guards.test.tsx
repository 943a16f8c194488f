import { waitFor } from "@solidjs/testing-library";
import { createRoot } from "solid-js";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { OperationError, type OperationOptions, type Result, type TransferResult } from "../../sdk/index.ts";
import { WRITTEN } from "../test-support/fake-taglatch.ts";
import {
  heading,
  press,
  pressSoon,
  renderApp,
  setUpPageTests,
  stubUserActivation,
} from "../test-support/render-app.tsx";
import { keepAwake, type TagJob } from "./create-tag-job.ts";
import { createStart } from "./guide-chooser.ts";

afterEach(() => {
  Reflect.deleteProperty(navigator, "wakeLock");
});
// Hooks run from last to first: the page is gone before those above run.
setUpPageTests();

/** A transfer that goes on when the test says so. */
async function startTransfer() {
  const end = withResolvers<Result<TransferResult>>();
  const begun = withResolvers<OperationOptions>();
  renderApp("/journeys/journey-1/bags/1", {
    transfer: (_collector, options) => {
      begun.resolve(options);
      return end.promise;
    },
  });
  await heading("Ready for your tag");
  press("Choose my tag");
  const { onProgress } = await begun.promise;
  return { onProgress, end: () => end.resolve(WRITTEN) };
}

/** Whether the browser would ask before it closes the page. */
const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
const done = () => heading("Your tag is ready");

test("closing the page is asked about from the commit to its outcome, and never else", async () => {
  const { onProgress, end } = await startTransfer();
  onProgress?.({ type: "started", phase: "write", at: 1 });
  expect(asks()).toBe(false);
  onProgress?.({ type: "started", phase: "display", at: 2 });
  expect(asks()).toBe(true);
  onProgress?.({ type: "done", phase: "display", at: 3, duration: 1 });
  onProgress?.({ type: "started", phase: "attach", at: 3 });
  expect(asks()).toBe(true);
  end();
  await done();
  expect(asks()).toBe(false);
});

test("what a job that was cancelled says late is not said of the one that runs now", async () => {
  const given: OperationOptions[] = [];
  const ends: (() => void)[] = [];
  renderApp("/journeys/journey-1/bags/1", {
    transfer: (_collector, options) => {
      given.push(options);
      return new Promise((resolve) => {
        ends.push(() => resolve(WRITTEN));
        options.signal?.addEventListener("abort", () =>
          resolve({ ok: false, error: new OperationError("cancelled", "") }),
        );
      });
    },
  });
  const choose = () => pressSoon("Choose my tag");
  await choose();
  await waitFor(() => expect(given).toHaveLength(1));
  press("Cancel");
  await choose();
  await waitFor(() => expect(given).toHaveLength(2));
  given[0]?.onProgress?.({ type: "started", phase: "display", at: 1 });
  expect(asks()).toBe(false);
  given[1]?.onProgress?.({ type: "started", phase: "display", at: 1 });
  expect(asks()).toBe(true);
  // A tag that changes its display is waited for, and holds the page, even where its screen is left.
  ends[1]?.();
  await done();
  expect(asks()).toBe(false);
});

test("the screen stays on during a job, and no longer", async () => {
  const release = vi.fn(async () => undefined);
  const request = vi.fn(async () => ({ release }));
  Object.defineProperty(navigator, "wakeLock", { configurable: true, value: { request } });
  const { end } = await startTransfer();
  expect(request).toHaveBeenCalledExactlyOnceWith("screen");
  expect(release).not.toHaveBeenCalled();
  end();
  await done();
  expect(release).toHaveBeenCalledOnce();
});

/** A browser that grants the lock when a test says so. */
function browser() {
  const grants: ReturnType<typeof withResolvers<unknown>>[] = [];
  const request = vi.fn(() => {
    const grant = withResolvers<unknown>();
    grants.push(grant);
    return grant.promise;
  });
  vi.stubGlobal("navigator", { wakeLock: { request } });
  const grant = async (n: number) => {
    const release = vi.fn(async () => undefined);
    grants[n]?.resolve({ release });
    await vi.waitFor(() => undefined);
    await Promise.resolve();
    return release;
  };
  return { request, grant };
}

test("a lock that is granted after the job's end is given back at once", async () => {
  const { grant } = browser();
  keepAwake()();
  const release = await grant(0);
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1));
});

test("a page that is shown again requests it again, and not after the job's end", async () => {
  const { request, grant } = browser();
  const end = keepAwake();
  await grant(0);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(request).toHaveBeenCalledTimes(2);
  end();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(request).toHaveBeenCalledTimes(2);
});

test("a person who has left before the browser named its tags sees no list", async () => {
  stubUserActivation();
  Object.assign(navigator, { bluetooth: { getDevices: async () => [] } });
  onTestFinished(() => void Reflect.deleteProperty(navigator, "bluetooth"));
  const recalled = withResolvers<void>();
  const choose = vi.fn();
  const job = { choose, remembered: () => [], recall: () => recalled.promise } as unknown as TagJob;
  const start = () =>
    createRoot((leave) => {
      createStart(job, () => undefined);
      return leave;
    });
  start();
  const leave = start();
  leave();
  recalled.resolve();
  await waitFor(() => expect(choose).toHaveBeenCalledTimes(1));
});
