// @vitest-environment jsdom
import { cleanup, renderHook } from "@solidjs/testing-library";
import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../../sdk/abort.ts";
import { createVirtualTagSwitch, type VirtualTagSwitch } from "./VirtualTags.tsx";
import { createVirtualTags } from "./VirtualTagView.tsx";

afterEach(() => vi.unstubAllGlobals());

const TRUST = { clientRoots: [], tagRoots: [], tokenKeys: { keys: [] } };

/** A panel over a development service without tags, which answers when a test says so. */
function panel() {
  const answered = withResolvers<void>();
  vi.stubGlobal("fetch", async (address: string) => {
    await answered.promise;
    return Response.json(address.endsWith("tags.json") ? [] : TRUST);
  });
  const leave = createRoot((end) => {
    createVirtualTags();
    return end;
  });
  return { leave, answer: () => answered.resolve() };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

test("tags are virtual while the panel is open", async () => {
  const { leave, answer } = panel();
  answer();
  await vi.waitFor(() => expect(navigator.bluetooth).toBeDefined());
  leave();
  expect(navigator.bluetooth).toBeUndefined();
});

test("a panel that was closed before its tags had come leaves the page its own radio", async () => {
  const { leave, answer } = panel();
  leave();
  answer();
  await soon();
  expect(navigator.bluetooth).toBeUndefined();
});

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
