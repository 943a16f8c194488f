import { ADA } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { expect, test } from "./support/kiosk-test.ts";
import { complaintsOf } from "./support/test.ts";

const done = words.job.doneTitle;

test("the set-up changes only after a staff sign-in; a shift begins with user name and password, never the secret", {
  tag: "@nightly",
}, async ({ page, service, kiosk }) => {
  await page.goto(`${service}/kiosk/setup`);
  await page.getByLabel(words.setup.name).fill("Somewhere else");
  await page.getByLabel(words.signIn.username).fill("kiosk-osl-1");
  await page.getByLabel(words.signIn.password).fill("guessed");
  await kiosk.presses(words.setup.save);
  await expect(page.getByText(en.errors.invalid_credentials.what)).toBeVisible();
  await page.goto(`${service}/kiosk`);
  await expect(page.getByText("OSL 12", { exact: true })).toBeVisible();

  await kiosk.endsShift();
  await kiosk.sees(words.signIn.title);
  await page.getByLabel(words.signIn.username).fill("kiosk-osl-1");
  await page.getByLabel(words.signIn.password).fill("wrong");
  await kiosk.presses(words.signIn.submit);
  await expect(page.getByText(en.errors.invalid_credentials.what)).toBeVisible();
  await expect(page.getByLabel(words.signIn.password)).toHaveValue("");
  await page.getByLabel(words.signIn.password).fill("correct horse battery staple");
  await page.keyboard.press("Enter");
  await kiosk.isAttracting();
  // The shift outlives a restart of the browser.
  await page.goto(`${service}/kiosk`);
  await kiosk.isAttracting();
  // Virtual tags asked for at the set-up are there at the kiosk.
  await kiosk.setsUp(service, "?sim");
  await expect(page.getByRole("complementary", { name: en.sim.title })).toBeVisible();
});

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
