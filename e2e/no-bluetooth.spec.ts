import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromiumLaunch } from "../scripts/drivers/chromium.ts";
import { ADA, asHeading, Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { sim } from "../web/i18n/en-sim.ts";
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

test("a closed chooser is no block in a browser that does not know the policy of Bluetooth", {
  tag: "@nightly",
}, async ({ playwright, service }) => {
  // As Chromium on Linux is built, with a virtual tag's Bluetooth.
  const { args, ...launch } = chromiumLaunch();
  const browser = await playwright.chromium.launch({
    ...launch,
    args: args.filter((arg) => arg !== "--enable-features=WebBluetooth"),
  });
  try {
    const passenger = new Passenger(await browser.newPage({ locale: "en-GB" }));
    const { page } = passenger;
    await page.goto(`${service}/?sim`);
    await passenger.findsJourney(ADA);
    expect(await page.evaluate(featuresOf)).not.toContain("bluetooth");
    await passenger.putsFirstBagOnTag();
    await passenger.dialog.getByRole("button", { name: en.passenger.list.show }).click();
    await page
      .getByRole("dialog", { name: sim.chooser })
      .getByRole("button", { name: en.app.cancel })
      .click();
    await passenger.sees(en.job.readyTitle);
    await expect(page.locator(".notice[data-tone=bad]")).toHaveCount(0);
  } finally {
    await browser.close();
  }
});

const featuresOf = () =>
  (document as { featurePolicy?: { features(): string[] } }).featurePolicy?.features() ?? ["bluetooth"];
