import { ADA } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { expect, test } from "./support/kiosk-test.ts";
import { complaintsOf } from "./support/test.ts";

const done = words.job.doneTitle;

test("a tag is written, cleared without a journey, and the shift ended, with nothing to complain about", async ({
  page,
  kiosk,
  makeTag,
  reach,
  stranger,
}) => {
  const complaints = complaintsOf(page);
  const tag = await makeTag("2.1");
  await reach(tag);
  await kiosk.scans("https://example.com/advert");
  await expect(page.getByText(words.notice.unknown)).toBeVisible();
  await kiosk.scans(ADA.licencePlate);
  await expect(page.getByText(words.notice.plateFirst)).toBeVisible();
  await kiosk.takesAdasBag();
  await kiosk.sees(done);
  // The second bag waits: it is too early for the bag drop.
  await expect(page.getByText(words.job.drop)).toHaveCount(0);
  await kiosk.finishes();
  await expect(page.getByText(words.notice.goodbye)).toBeVisible();
  await kiosk.presses(en.start.clearAction);
  await kiosk.choosesTag();
  await kiosk.sees(words.job.clearedTitle);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
  await kiosk.finishes();
  await kiosk.endsShift();
  await kiosk.sees(words.signIn.title);
  expect(complaints).toEqual([]);
});
