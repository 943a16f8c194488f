import { readBarcodes } from "zxing-wasm/reader";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import type { Journey } from "../sdk/index.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { lastWeek } from "./support/last-week.ts";
import { pixelsOf, readerReady } from "./support/qr-reader.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";

/** What a person does with a written tag: shows the bag's number to staff, takes a clear back, clears all after the trip. */

const { card, tags } = en.passenger;

test.beforeAll(readerReady);
// Without a network the page's files come from its worker.
test.use({ serviceWorkers: "allow" });

test("staff scan the bag's number from the page without a network, and a tag cleared by mistake gets its label back", async ({
  page,
  context,
  tag,
  passenger,
  stranger,
}) => {
  await controlled(page);
  await passenger.writesFirstBag(ADA);
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(card.ready);
  await context.setOffline(true);
  await passenger.reads(en.start.offline);
  await page.getByRole("button", { name: card.show }).first().click();
  const barcode = passenger.dialog.getByRole("img", { name: ADA.licencePlate });
  await expect(barcode).toBeVisible();
  const read = await readBarcodes(await pixelsOf(await barcode.screenshot()), { formats: ["ITF"] });
  expect(read.map(({ text }) => text)).toEqual([ADA.licencePlate]);
  await passenger.dialog.getByRole("button", { name: en.app.close }).click();
  await context.setOffline(false);

  await passenger.opensMore();
  await page.getByRole("link", { name: en.bag.clear }).click();
  await page.getByRole("button", { name: en.clear.titleOf(unbroken(tag.name)) }).click();
  await passenger.sees(en.clear.doneTitle);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
  await page.getByRole("link", { name: card.putBack }).click();
  await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: en.job.doneTitle }));
  expectLabel(tag, ADA);
});

test("after the trip, all tags are cleared from My tags, each with its own result", {
  tag: "@nightly",
}, async ({ page, makeTag, open, passenger, stranger }) => {
  const written = [await makeTag("2.1"), await makeTag("2.1")] as const;
  const [first, second] = written;
  const emulated = await open(written);
  await passenger.writesFirstBag(ADA);
  emulated.choose(second);
  await page.getByRole("button", { name: en.job.nextBag(2) }).click();
  await passenger.choosesTagUntil(page.getByText(en.passenger.run.done(2, "Helsinki")));
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(card.ready);
  await page.route("**/v2/journeys", async (route) => {
    const response = await route.fetch();
    const { journeys } = (await response.json()) as { readonly journeys: readonly Journey[] };
    await route.fulfill({ response, json: { journeys: journeys.map(lastWeek) } });
  });
  await emulated.reload();
  await passenger.reads(en.passenger.arrival.title);
  await passenger.opensClearPage();
  emulated.choose(first);
  await page.getByRole("link", { name: tags.clearAll }).click();
  const result = (name: string) =>
    page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name }) })
      .locator(".badge");
  // Where the tap that led here no longer counts, it is tapped once more: before a tag is clear, this button begins the first.
  const start = page.locator(".page:not(:has(.badge)) > .button[data-kind=primary]");
  await expect(async () => {
    if (await start.isVisible()) await start.click({ timeout: 1_000 });
    await expect(result(first.name)).toHaveText(en.clear.doneTitle, { timeout: 1_000 });
  }).toPass();
  emulated.choose(second);
  await page.getByRole("button", { name: en.clear.titleOf(unbroken(second.name)) }).click();
  await passenger.sees(card.finished);
  for (const tag of written) {
    await expect(result(tag.name)).toHaveText(en.clear.doneTitle);
    expectBlank(tag);
    await expectUnlocked(tag, stranger);
  }
});
