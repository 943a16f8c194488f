/** Stories at a kiosk that is set up, with a shift begun. */

import { expect } from "@playwright/test";
import type { EmulatedTags } from "../../scripts/drivers/cdp-tag.ts";
import { JUERGEN } from "../../scripts/drivers/passenger.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import { Kiosk } from "./kiosk.ts";
import { demandNoPin, demandStaffPin } from "./staff.ts";
import { test as base } from "./test.ts";

interface KioskFixtures {
  kiosk: Kiosk;
  /** Puts tags within reach of the kiosk; the first is the one chosen. */
  reach: (...tags: readonly TagSimulator[]) => Promise<EmulatedTags>;
  /** The tag chosen for Ada's bag is locked by a stranger: the kiosk asks for the proof. */
  lockedTag: TagSimulator;
  /** The service wants to know who stands at a kiosk; it is Grace. */
  staffed: undefined;
}

export const test = base.extend<KioskFixtures>({
  viewport: { width: 1280, height: 800 },
  kiosk: async ({ page, service }, use) => {
    const kiosk = new Kiosk(page);
    await kiosk.setsUp(service);
    await use(kiosk);
  },
  reach: async ({ kiosk, open }, use) => {
    await use(async (...tags) => {
      const emulated = await open(tags, "/kiosk");
      await kiosk.isAttracting();
      return emulated;
    });
  },
  staffed: async ({ server }, use) => {
    await demandStaffPin(server.stateDir);
    await use(undefined);
    await demandNoPin(server.stateDir);
  },
  lockedTag: async ({ kiosk, makeTag, reach, stranger }, use) => {
    const tag = await makeTag("2.1", { signs: false });
    await stranger.attach(tag.id, JUERGEN.baggageId);
    await reach(tag);
    await kiosk.takesAdasBag();
    await expect(kiosk.dialog).toBeVisible();
    await use(tag);
  },
});

export { expect };
