import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { en } from "../web/i18n/en.ts";
import { ADA, JUERGEN } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

/** No rule of WCAG 2.2 A and AA is broken, and nothing runs out of the side of the screen. */
async function isAccessible(page: Page): Promise<void> {
  // An entrance in motion is half transparent: its colours would be measured wrong.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

const SETTINGS = [
  { name: "a phone in the light", viewport: { width: 390, height: 844 }, media: { colorScheme: "light" } },
  { name: "a phone in the dark", viewport: { width: 390, height: 844 }, media: { colorScheme: "dark" } },
  { name: "a narrow phone", viewport: { width: 320, height: 640 }, media: {} },
  { name: "a kiosk", viewport: { width: 1080, height: 1920 }, media: {} },
  { name: "forced colours", viewport: { width: 390, height: 844 }, media: { forcedColors: "active" } },
] as const;

for (const { name, viewport, media } of SETTINGS) {
  test(`every screen of a transfer with proof is accessible on ${name}`, async ({
    page,
    makeTag,
    open,
    passenger,
    stranger,
  }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ ...media, reducedMotion: "reduce" });
    const tag = await makeTag("2.1");
    await stranger.attach(tag.id, JUERGEN.baggageId);
    await open([tag]);
    await isAccessible(page);
    await passenger.findsJourney(ADA);
    await isAccessible(page);
    await passenger.putsFirstBagOnTag();
    await passenger.asksForProof();
    await isAccessible(page);
    await passenger.proves({ recordLocator: "ZZZZZZ", surname: "NOBODY" });
    await expect(passenger.dialog).toContainText(en.errors.custody_proof_invalid.what);
    await isAccessible(page);
    await passenger.proves(JUERGEN);
    await passenger.sees(en.job.doneTitle);
    await isAccessible(page);
    await passenger.goesHome();
    await passenger.opensClearPage();
    await passenger.sees(en.clear.title);
    await isAccessible(page);
  });
}
