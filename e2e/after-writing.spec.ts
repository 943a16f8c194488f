import { readBarcodes } from "zxing-wasm/reader";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { pixelsOf, readerReady } from "./support/qr-reader.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";

/** What a person does with a written tag: shows the bag's number to staff, and takes a clear back. */

const { card } = en.passenger;

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
