import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel, expectLocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { expect, test } from "./support/test.ts";

const { card, link, taken } = en.passenger;

test("an open page says that another person's proof took the label from its tag, and writes it again", async ({
  page,
  tag,
  passenger,
  stranger,
}) => {
  await passenger.writesFirstBag(ADA);
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(card.ready);
  const { recordLocator, surname } = ADA;
  const proof = { uniqueDeviceId: tag.id, recordLocator, surname };
  expect((await stranger.post("/v2/ebt-custody-proofs", proof)).status).toBe(200);

  // The person looks at another page, and comes back.
  const news = page.getByText(taken.title(unbroken(tag.name)));
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await expect(news).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await passenger.reads(taken.proof("").split(",")[0] ?? "");
  await expect(page.getByText(card.ready)).toHaveCount(0);
  await page.getByRole("button", { name: link.again }).click();
  await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: en.job.doneTitle }));
  expectLabel(tag, ADA);
  await expectLocked(tag, stranger);
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(card.ready);
  await expect(news).toHaveCount(0);
});
