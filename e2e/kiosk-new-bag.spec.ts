import { SILE } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { expect, test } from "./support/kiosk-test.ts";

/** No other story uses this passenger, so she may get one more bag. */
const PASS = { name: "OBRIEN/SILE", recordLocator: SILE.recordLocator, route: "EWRCPH", flight: "0910" };
/** A plate of the demo's airline that no bag has; a new one in each run. */
const plate = () => `0117${String(Math.floor(Math.random() * 1e6)).padStart(6, "0")}`;

test("an unknown bag label is added to the journey when staff say so, and written", {
  tag: "@nightly",
}, async ({ page, kiosk, makeTag, reach }) => {
  const tag = await makeTag("2.1");
  await reach(tag);
  await kiosk.scans(passText({ ...adasPass(), ...PASS }));
  const bags = page.locator(".kiosk-bags .bag");
  await expect(bags.first()).toBeVisible();
  const known = await bags.count();
  const licencePlate = plate();
  await kiosk.scans(licencePlate);
  await expect(kiosk.dialog).toContainText(words.journey.addBody(licencePlate));
  await page.keyboard.press("Escape");
  await expect(kiosk.dialog).toHaveCount(0);
  await expect(bags).toHaveCount(known);

  await kiosk.scans(licencePlate);
  await kiosk.dialog.getByRole("button", { name: words.journey.addBag }).click();
  await page.getByRole("button", { name: en.bag.putLabel(known + 1) }).click();
  await kiosk.choosesTag();
  await kiosk.sees(words.job.doneTitle);
  expectLabel(tag, { ...SILE, licencePlate });
});
