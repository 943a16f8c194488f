// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { afterEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../../sdk/abort.ts";
import { createVirtualTags } from "./create-virtual-tags.ts";

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
