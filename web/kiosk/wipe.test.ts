// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { wipeTraces } from "./wipe.ts";

test("of the address only what says that tags are virtual is left for the next passenger", async () => {
  for (const [search, left] of [
    ["?sim", "?sim"],
    ["?sim&recordLocator=ABC123", ""],
    ["?recordLocator=ABC123", ""],
  ]) {
    history.replaceState(null, "", `/kiosk${search}#ABC123`);
    await wipeTraces("Kiosk");
    expect(location.search + location.hash).toBe(left);
  }
});

test("of the storages only the airline's look and the virtual tags are left", async () => {
  for (const key of ["taglatch.look", "taglatch.journey-kept", "anything"]) localStorage.setItem(key, "x");
  for (const key of ["taglatch.virtual-tags", "anything"]) sessionStorage.setItem(key, "x");
  await wipeTraces("Kiosk");
  expect([Object.keys(localStorage), Object.keys(sessionStorage)]).toEqual([
    ["taglatch.look"],
    ["taglatch.virtual-tags"],
  ]);
});

test("the clipboard is emptied", async () => {
  const writeText = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  await wipeTraces("Kiosk");
  expect(writeText.mock.calls).toEqual([[""]]);
  vi.unstubAllGlobals();
});
