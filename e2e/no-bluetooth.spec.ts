import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromiumLaunch } from "../scripts/test/chromium.ts";
import { en } from "../web/i18n/en.ts";
import { Passenger } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

// What this very Chromium says of itself, with no tag in reach: its words are not in any contract.

const { bluetooth_off, blocked_by_policy } = en.errors;

async function expectRefusal(passenger: Passenger, service: string, error: typeof bluetooth_off) {
  await passenger.page.goto(`${service}/clear`);
  await passenger.clearsTag();
  await passenger.sees(en.error.title);
  await passenger.reads(error.what);
  await passenger.reads(error.next);
}

test("a device without Bluetooth is told so", async ({ page, passenger, service }) => {
  // Where this machine has an adapter, it has none in this browser.
  const session = await page.context().browser()?.newBrowserCDPSession();
  await session?.send("BluetoothEmulation.enable", { state: "absent", leSupported: true });
  await expectRefusal(passenger, service, bluetooth_off);
  await session?.detach();
});

test("a browser that blocks Bluetooth is told apart from a device without it", async ({
  playwright,
  service,
}, testInfo) => {
  const profile = testInfo.outputPath("profile");
  mkdirSync(join(profile, "Default"), { recursive: true });
  // The setting of the person; an organisation's policy (DefaultWebBluetoothGuardSetting) is the same value.
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
});
