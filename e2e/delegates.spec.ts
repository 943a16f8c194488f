/** Another person's phone writes the tag: a phone without Bluetooth shows a code, and an Android phone does the rest. */
import { readBarcodes } from "zxing-wasm/reader";
import { ADA, Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { pixelsOf, readerReady } from "./support/qr-reader.ts";
import { expect, IPHONE, test, withoutBluetooth } from "./support/test.ts";

const words = en.passenger.delegate;

test.beforeAll(readerReady);

test("an iPhone hands its job to another phone, sees the tag become ready, and ends it", async ({
  browser,
  service,
  page,
  passenger,
  makeTag,
  open,
}) => {
  const tag = await makeTag("2.1");
  const context = await browser.newContext({ userAgent: IPHONE, viewport: { width: 360, height: 740 } });
  const iphone = await context.newPage();
  const holder = new Passenger(iphone);
  await withoutBluetooth(iphone);
  await iphone.goto(service);
  await holder.submits(ADA);
  await iphone.getByRole("link", { name: words.action }).click();
  await holder.sees(words.action);
  const code = iphone.getByRole("img", { name: words.code });
  await expect(code).toBeVisible();
  const [read] = await readBarcodes(await pixelsOf(await code.screenshot()), { formats: ["QRCode"] });
  const link = new URL(read?.text ?? "");
  expect([link.origin, link.pathname, link.hash.length]).toEqual([service, "/with", 23]);

  await open([tag], `/with${link.hash}`);
  await passenger.sees(words.askTitle);
  expect(new URL(page.url()).hash).toBe("");
  await page.getByRole("button", { name: words.askYes }).click();
  const digits = page.locator(".delegate-digits");
  await expect(digits).toHaveText(/^\d{3}$/);
  await expect(iphone.locator(".delegate-digits")).toHaveText((await digits.textContent()) ?? "");
  // The yes to the job was theirs. A reload loses the code, and neither the digits nor the yes.
  await page.reload();
  await passenger.reads(words.waiting);
  await expect(page.getByRole("button", { name: words.yes })).toHaveCount(0);
  await iphone.getByRole("button", { name: words.yes }).click();
  await holder.sees(words.active);
  await passenger.reads(words.forOther);
  await expect(page.getByText(/LOVELACE|ABC123/i)).toHaveCount(0);

  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.doneTitle);
  expect(JSON.stringify(tag.snapshot().display)).not.toContain("LOVELACE");
  await holder.sees(words.ready);
  await holder.reads(en.bag.onTag(unbroken(tag.name)));
  await page.getByRole("link", { name: en.job.toJourney }).click();
  await passenger.reads(words.forOther);
  await iphone.getByRole("button", { name: words.end }).click();
  await holder.reads(words.ended);
  await passenger.sees(words.ended);
  await context.close();
});
