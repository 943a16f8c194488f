// @vitest-environment jsdom
import { cleanup, renderHook } from "@solidjs/testing-library";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createVirtualTagSwitch, type VirtualTagSwitch } from "./VirtualTags.tsx";

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  cleanup();
});

/** A page at `path` of a service that says it is an `environment` one. */
async function opened(path: string, environment = "development"): Promise<VirtualTagSwitch> {
  let asked: Promise<boolean> | undefined;
  const isDevelopment = () => (asked = Promise.resolve(environment === "development"));
  history.replaceState(null, "", path);
  const { result } = renderHook(() => createVirtualTagSwitch(isDevelopment));
  await asked;
  await vi.waitFor(() => expect(result.offered()).toBe(environment === "development"), { timeout: 60_000 });
  return result;
}

test("?sim opens the panel", async () => {
  expect((await opened("/?sim")).open()).toBe(true);
});

test("without ?sim the panel is offered and stays closed", async () => {
  expect((await opened("/")).open()).toBe(false);
});

test("a reload of a later page of the journey keeps the virtual tags", async () => {
  await opened("/?sim");
  cleanup();
  expect((await opened("/journeys/journey-1")).open()).toBe(true);
});

test("a panel that was closed stays closed after a reload", async () => {
  (await opened("/?sim")).hide();
  cleanup();
  expect((await opened("/journeys/journey-1")).open()).toBe(false);
});

test("a deployment has no virtual tags, asked for or not", async () => {
  expect((await opened("/?sim", "production")).open()).toBe(false);
});
