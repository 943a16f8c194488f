/** How many taps lead from opening the page to a written tag. One, where the browser remembers tags: remembered-tag.spec.ts */

import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { LIST_KNOWN } from "../web/job/guide-chooser.ts";
import { MOVING } from "./support/browser.ts";
import { countTaps } from "./support/taps.ts";
import { expect, test } from "./support/test.ts";

test.use(MOVING);

test("the first time, the booking is followed by four taps: button, advice, row, Pair", async ({
  page,
  makeTag,
  open,
  passenger,
}) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await page.evaluate((key) => localStorage.removeItem(key), LIST_KNOWN);
  await passenger.findsJourney(ADA);
  const taps = await countTaps(page, emulated);
  await passenger.putsFirstBagOnTag();
  await passenger.dialog.getByRole("button", { name: en.passenger.list.show }).click();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
  expect(taps()).toBe(4);
});

test("a passenger with a journey opens onto it, and writes its tag with three taps: button, row, Pair", {
  tag: "@nightly",
}, async ({ page, makeTag, open, passenger, service }) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await passenger.findsJourney(ADA);
  await passenger.keepsJourney();
  await emulated.goto(service);
  const taps = await countTaps(page, emulated);
  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
  expect(taps()).toBe(3);
});
