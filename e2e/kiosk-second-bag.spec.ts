import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/kiosk-test.ts";

test.use(MOVING);

const { otherBag } = en.passenger;

test("a kiosk asks before a tag goes to the second bag", { tag: "@nightly" }, async ({
  page,
  kiosk,
  makeTag,
  reach,
}) => {
  const tag = await makeTag("2.1");
  await reach(tag);
  await kiosk.takesAdasBag();
  await kiosk.sees(en.kiosk.job.doneTitle);
  await kiosk.presses(en.job.nextBag(2));
  const choose = page.getByRole("button", { name: en.kiosk.release.choose });
  const question = page.getByText(otherBag.title(1));
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
