// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeTaglatch } from "../test-support/fake-taglatch.ts";
import { createDelegations } from "./delegations.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page that looks, and how often it has asked the service. */
function page() {
  const client = fakeTaglatch();
  const list = vi.fn(client.delegations.list);
  const load = async () => ({ ...client, delegations: { ...client.delegations, list } });
  return createRoot((leave) => ({ delegations: createDelegations(load), list, leave }));
}

test("a page asks every three seconds while it is visible, for ten minutes", async () => {
  const { delegations, list, leave } = page();
  await delegations.refresh();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(list).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(list).toHaveBeenCalledTimes(200);
  leave();
});

test("a page that is left asks no more", async () => {
  const { delegations, list, leave } = page();
  await delegations.refresh();
  leave();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(list).toHaveBeenCalledTimes(1);
});
