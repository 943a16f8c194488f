import { ADA, SILE } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/kiosk-test.ts";

test.use(MOVING);

const { otherBag } = en.passenger;

test("a kiosk asks before a tag goes to the second bag", { tag: "@nightly" }, async ({
  page,
  kiosk,
  tag,
}) => {
  await kiosk.takesAdasBag();
  await kiosk.sees(en.kiosk.job.doneTitle);
  await kiosk.presses(en.job.nextBag(2));
  const choose = page.getByRole("button", { name: en.kiosk.release.choose });
  const question = page.getByRole("heading", { level: 1, name: otherBag.title(1) });
  await expect(choose.or(question)).toBeVisible();
  if (await choose.isVisible()) await choose.click();
  await expect(question).toBeVisible();
  expectLabel(tag, ADA);
  await kiosk.presses(otherBag.move(2));
  await kiosk.sees(en.kiosk.job.doneTitle);
  expectLabel(tag, { ...ADA, licencePlate: "0117123457" });
  await kiosk.presses(en.kiosk.job.toJourney);
  await expect(page.getByText(en.bag.onTag(unbroken(tag.name)))).toHaveCount(1);
  await expect(page.getByRole("button", { name: en.bag.putLabel(1) })).toBeVisible();
});

/** No other story uses this passenger, so she may get one more bag. */
const PASS = { name: "OBRIEN/SILE", recordLocator: SILE.recordLocator, route: "EWRCPH", flight: "0910" };
/** A plate of the demo's airline that no bag has; a new one in each run. */
const plate = () => `0117${String(Math.floor(Math.random() * 1e6)).padStart(6, "0")}`;

test("an unknown bag label is added to the journey when staff say so, and written", {
  tag: "@nightly",
}, async ({ page, kiosk, tag }) => {
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
