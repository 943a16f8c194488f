// @vitest-environment jsdom
import { expect, test } from "vitest";
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
