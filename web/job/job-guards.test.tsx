import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { OperationError, type OperationOptions, type Result, type TransferResult } from "../../sdk/index.ts";
import { PICKED } from "../test-support/fake-taglatch.ts";
import { renderApp } from "../test-support/render-app.tsx";

const DONE = {
  ok: true,
  value: { pendingRetry: false, confirmedByTag: true, device: PICKED, elapsed: 1 },
} as const;

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "wakeLock");
});

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
  await screen.findByRole("heading", { level: 1, name: "Ready for your tag" });
  fireEvent.click(screen.getByRole("button", { name: "Choose my tag" }));
  const { onProgress } = await begun.promise;
  return { onProgress, end: () => end.resolve(DONE) };
}

/** Whether the browser would ask before it closes the page. */
const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
const done = () => screen.findByRole("heading", { level: 1, name: "Your tag is ready" });

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
        ends.push(() => resolve(DONE));
        options.signal?.addEventListener("abort", () =>
          resolve({ ok: false, error: new OperationError("cancelled", "") }),
        );
      });
    },
  });
  const choose = async () => fireEvent.click(await screen.findByRole("button", { name: "Choose my tag" }));
  await choose();
  await waitFor(() => expect(given).toHaveLength(1));
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
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
