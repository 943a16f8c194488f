import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InstallUpdate } from "../service-worker/watch-updates.ts";
import { createUpdates } from "./kiosk-state.tsx";

const HOUR = 3_600_000;
const update = vi.fn(() => Promise.resolve());

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: () => Promise.resolve({ update }) } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  update.mockReset();
});

/** A kiosk's page; `setQuiet` is what its visitors do, `install` what a found version offers. */
function renderUpdates({ isQuiet = true } = {}) {
  const install = vi.fn<InstallUpdate>(() => Promise.resolve());
  return createRoot((dispose) => {
    const [quiet, setQuiet] = createSignal(isQuiet);
    createUpdates(quiet, (found) => void setTimeout(() => found(install), 2.5 * HOUR));
    return { dispose, setQuiet, install };
  });
}
const looks = async (milliseconds: number) => {
  update.mockClear();
  await vi.advanceTimersByTimeAsync(milliseconds);
  return update.mock.calls.length;
};

test("an idle kiosk looks for a new version every hour, and installs it", async () => {
  const { dispose, install } = renderUpdates();
  expect(await looks(HOUR - 1)).toBe(0);
  expect(await looks(1)).toBe(1);
  expect(await looks(HOUR)).toBe(1);
  expect(install).not.toHaveBeenCalled();
  expect(await looks(70 * HOUR)).toBe(70);
  expect(install).toHaveBeenCalledTimes(1);
  dispose();
});

test("a failed look is followed by the next an hour later", async () => {
  const { dispose } = renderUpdates();
  update.mockRejectedValue(new TypeError("offline"));
  expect(await looks(HOUR)).toBe(1);
  expect(await looks(HOUR)).toBe(1);
  dispose();
});

test("a visit is not disturbed: the look that is due waits for its end, and is one however long it took", async () => {
  const { dispose, setQuiet, install } = renderUpdates({ isQuiet: false });
  expect(await looks(3.5 * HOUR)).toBe(0);
  expect(install).not.toHaveBeenCalled();
  setQuiet(true);
  expect(await looks(0)).toBe(1);
  expect(install).toHaveBeenCalledTimes(1);
  setQuiet(false);
  setQuiet(true);
  expect(await looks(HOUR / 2 - 1)).toBe(0);
  dispose();
});

test("a new visitor ends the wait for a job in another window", async () => {
  const { dispose, setQuiet, install } = renderUpdates();
  await vi.advanceTimersByTimeAsync(3 * HOUR);
  const signal = install.mock.calls[0]?.[0]?.signal;
  expect(signal?.aborted).toBe(false);
  setQuiet(false);
  expect(signal?.aborted).toBe(true);
  dispose();
});

test("a page that is gone looks no more", async () => {
  renderUpdates().dispose();
  expect(await looks(10 * HOUR)).toBe(0);
});
