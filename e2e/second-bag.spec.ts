import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel, expectLocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { expect, test } from "./support/test.ts";

const { otherBag } = en.passenger;
const SECOND = { licencePlate: "0117123457", destination: ADA.destination };

test("a tag goes to the second bag only if the passenger says so, and the first then has none", {
  tag: "@nightly",
}, async ({ page, tag, passenger, stranger }) => {
  await passenger.writesFirstBag(ADA);
  await page.getByRole("button", { name: en.job.nextBag(2) }).click();
  await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: otherBag.title(1) }));
  expectLabel(tag, ADA);
  await page.getByRole("button", { name: otherBag.move(2) }).click();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, SECOND);
  await expectLocked(tag, stranger);
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(en.bag.onTag(unbroken(tag.name)));
  await expect(page.getByText(en.bag.onTag(unbroken(tag.name)))).toHaveCount(1);
  await expect(page.getByRole("button", { name: en.bag.putLabel(1) })).toBeVisible();
});

test("a bag on two tags shows both, and each can be cleared", { tag: "@nightly" }, async ({
  page,
  makeTag,
  open,
  passenger,
}) => {
  const [first, second] = [await makeTag("2.1"), await makeTag("2.0")];
  const emulated = await open([first, second]);
  await passenger.writesFirstBag(ADA);
  await page.getByRole("link", { name: en.job.toJourney }).click();
  emulated.choose(second);
  await passenger.putsFirstBagOnTag();
  await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: en.job.doneTitle }));
  // Beside the next bag and the tag to be cleared there is no third way on.
  await passenger.goesHome();
  const bothShown = async () => {
    await expect(page.getByText(en.bag.onTag(unbroken(second.name)))).toBeVisible();
    const older = page.getByRole("link", { name: en.clear.titleOf(unbroken(first.name)) });
    const newest = page.getByRole("link", { name: en.bag.clear });
    // A page that was reloaded draws its stored copy first.
    await expect(async () => {
      if (await older.isHidden()) await page.getByText(en.passenger.card.older(1)).click();
      if (await newest.isHidden()) await passenger.opensMore();
      await expect(older).toBeVisible({ timeout: 1_000 });
      await expect(newest).toBeVisible({ timeout: 1_000 });
    }).toPass();
  };
  await bothShown();
  // The service says the same.
  await emulated.reload();
  await bothShown();
});
