/**
 * A picture of every screen in each language (`npm run nightly -- contact-sheets`): under test-results/sheets, to be looked
 * at. Pictures are compared by every-screen.spec.ts; here only what goes on must be in sight on a small phone, in every
 * language. Chinese and Japanese come in the machine's own fonts, which `npm run nightly -- stories` installs where it may;
 * else their letters are boxes.
 */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { LOCALES } from "../core/api/locales.ts";
import { ROOT } from "../scripts/project-files.ts";
import { launchForTests } from "./support/browser.ts";
import { folds } from "./support/folds.ts";
import { KIOSK, type Look, PHONE, stopFor } from "./support/looks.ts";
import { sameEveryDay } from "./support/photographer.ts";
import { expect, test } from "./support/test.ts";
import { WALKS } from "./support/walks.ts";
import { wordsOf } from "./support/words.ts";

test.use({ timezoneId: "UTC", launchOptions: launchForTests("fonts-of-sheets.conf") });

for (const locale of LOCALES)
  test.describe(`in ${locale}`, () => {
    test.use({ locale });
    for (const { who, sizes, isOnPhone, go } of WALKS)
      test(`${who} has a picture of every screen`, async ({ scene }) => {
        const { page } = scene;
        const usual = sizes[0] === "kiosk" ? KIOSK : PHONE;
        await sameEveryDay(page);
        await page.setViewportSize(usual);
        const problems: string[] = [];
        const looks = [sheet(page, join(ROOT, "test-results", "sheets", locale, who))];
        if (isOnPhone) looks.push(folds(page, problems));
        await go(scene, wordsOf(locale), stopFor(page, usual, looks));
        expect(problems).toEqual([]);
      });
  });

/** Puts each screen into `folder`, numbered as it comes. */
function sheet(page: Page, folder: string): Look {
  let screens = 10;
  return async (screen) => {
    const fullPage = (await page.locator("dialog[open]").count()) === 0;
    await page.screenshot({
      path: join(folder, `${screens++}-${screen}.png`),
      animations: "disabled",
      fullPage,
    });
  };
}
