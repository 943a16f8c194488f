import type { Locator, Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { countConnections, expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

// Only Tab, Enter and letters: a pointer would find what a keyboard cannot reach.

/** Tabs to `target`, which shows that it has the focus. */
async function tabsTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 25 && !(await hasFocus()); presses++) await page.keyboard.press("Tab");
  await expect(target).toBeFocused();
  const seen = await target.evaluate((element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return (
      element.matches(":focus-visible") && outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2
    );
  });
  expect(seen).toBe(true);
}

async function presses(page: Page, target: Locator): Promise<void> {
  await tabsTo(page, target);
  await page.keyboard.press("Enter");
}

async function types(page: Page, target: Locator, text: string): Promise<void> {
  await tabsTo(page, target);
  await page.keyboard.type(text);
}

test("a transfer with a wrong and a right proof needs no pointer", async ({
  page,
  openLocked,
  passenger,
}) => {
  const tag = await openLocked();
  const connections = countConnections(tag);
  await types(page, page.getByLabel(en.start.recordLocator), ADA.recordLocator);
  await types(page, page.getByLabel(en.start.surname, { exact: true }), ADA.surname);
  await presses(page, page.getByRole("button", { name: en.start.find }));
  await presses(page, passenger.firstBag);
  await passenger.asksForProof();
  const { dialog } = passenger;
  const locator = dialog.getByLabel(en.start.recordLocator);
  await expect(locator).toBeFocused();
  await page.keyboard.type("KEYS99");
  await types(page, dialog.getByLabel(en.start.surname), "ABSENT");
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText(en.errors.custody_proof_invalid.what);
  await expect(dialog).toContainText(en.passenger.proof.attemptsLeft(2));
  // What was wrong is selected: typing replaces it.
  await expect(locator).toBeFocused();
  await page.keyboard.type(JUERGEN.recordLocator);
  await page.keyboard.press("Tab");
  // A name counts however it is spelt.
  await page.keyboard.type("mueller");
  await presses(page, dialog.getByRole("button", { name: en.passenger.proof.submit }));
  await passenger.sees(en.job.doneTitle);
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  expect(connections()).toBe(1);
  expectLabel(tag, ADA);
});
