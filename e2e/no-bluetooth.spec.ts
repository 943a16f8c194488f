import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromiumLaunch } from "../scripts/drivers/chromium.ts";
import { asHeading, Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

// What this Chromium itself reports, with no tag in range: no specification fixes its messages.

const { bluetooth_off, blocked_by_policy } = en.errors;

async function expectRefusal(passenger: Passenger, service: string, error: typeof bluetooth_off) {
  await passenger.page.goto(`${service}/clear`);
  await passenger.clearsTag();
  await passenger.dialog.getByRole("button", { name: en.passenger.list.show }).click();
  await passenger.sees(asHeading(error.what));
  await passenger.reads(error.next);
}

test("a device without Bluetooth says so", async ({ page, passenger, service }) => {
  // This browser has no adapter, even if the machine has one.
  const session = await page.context().browser()?.newBrowserCDPSession();
  await session?.send("BluetoothEmulation.enable", { state: "absent", leSupported: true });
  await expectRefusal(passenger, service, bluetooth_off);
  await session?.detach();
});

test(
  "a browser that blocks Bluetooth is distinguished from a device without it",
  { tag: "@nightly" },
  async ({ playwright, service }, testInfo) => {
    const profile = testInfo.outputPath("profile");
    mkdirSync(join(profile, "Default"), { recursive: true });
    // The user's setting; the policy DefaultWebBluetoothGuardSetting sets the same value.
    const blocked = { profile: { default_content_setting_values: { bluetooth_guard: 2 } } };
    writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(blocked));
    const context = await playwright.chromium.launchPersistentContext(profile, {
      ...chromiumLaunch(),
      locale: "en-GB",
    });
    try {
      const page = await context.newPage();
      await expectRefusal(new Passenger(page), service, blocked_by_policy);
      expect(await page.evaluate(() => navigator.bluetooth.getAvailability())).toBe(false);
    } finally {
      await context.close();
    }
  },
);
