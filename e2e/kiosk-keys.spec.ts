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
