/** A scanner and a person type on one keyboard. */

import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { expect, test } from "./support/kiosk-test.ts";

/** Too few characters for a scan. */
const DOUBTFUL = 9;

test("a scan while a field has the focus stays in neither the field nor the address", async ({
  page,
  kiosk,
}) => {
  await kiosk.presses(words.attract.type);
  const locator = page.getByLabel(en.start.recordLocator);
  await locator.focus();
  const written: string[] = [];
  await page.exposeFunction("written", (text: string) => written.push(text));
  await locator.evaluate((field) =>
    field.addEventListener("input", () =>
      (globalThis as unknown as { written(text: string): void }).written((field as HTMLInputElement).value),
    ),
  );
  const address = page.url();
  await kiosk.scans(passText(adasPass()));
  await kiosk.sees(en.journey.title("Helsinki"));
  // On a busy machine its first characters may have looked like a person's.
  expect(written.at(-1) ?? "").toBe("");
  expect(written.filter((text) => text.length > DOUBTFUL)).toEqual([]);
  expect(page.url()).toBe(address);
});

test("a bag is put on a tag with the keyboard alone", { tag: "@nightly" }, async ({ page, kiosk, tag }) => {
  const presses = async (name: string) => {
    const button = page.getByRole("button", { name, exact: true });
    await expect(button).toBeVisible();
    for (let presses = 0; presses < 20; presses++) {
      if (await button.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await presses(words.attract.type);
  await expect(page.getByLabel(en.start.recordLocator)).toBeFocused();
  await page.keyboard.type(ADA.recordLocator, { delay: 80 });
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADA.surname, { delay: 80 });
  await page.keyboard.press("Enter");
  await kiosk.sees(en.journey.title("Helsinki"));
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await presses(en.bag.putLabel(1));
  await kiosk.sees(words.job.doneTitle);
  expectLabel(tag, ADA);
  await presses(words.journey.done);
  await kiosk.isAttracting();
});
