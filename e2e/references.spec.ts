/**
 * How every screen looks, held against pictures under e2e/references. A change of the look is a change of these
 * pictures: `npx playwright test references --update-snapshots`, look at them, commit them.
 */
import type { Page } from "@playwright/test";
import { chromiumLaunch } from "../scripts/chromium.ts";
import { walkAsStaff } from "./support/kiosk-tour.ts";
import { sameEverywhere, setTagDays } from "./support/same-everywhere.ts";
import { smallPicture } from "./support/small-picture.ts";
import { expect, test } from "./support/test.ts";
import { type Stop, walkAsDeveloper, walkAsPassenger } from "./support/tour.ts";
import { TONGUES } from "./support/words.ts";

/** What the pictures were made with: another one draws the same letters a little differently. */
const MADE_WITH = { chromium: "156", platform: "linux" };

const launch = chromiumLaunch();
test.use({
  trace: "off",
  // For the style that hides what varies.
  bypassCSP: true,
  // Letters without the hints of this machine's fonts and without the colours of its screen.
  launchOptions: { ...launch, args: [...launch.args, "--font-render-hinting=none", "--disable-lcd-text"] },
});

const PHONE = { name: "phone", width: 390, height: 844 };
const KIOSK = { name: "kiosk", width: 1080, height: 1920 };
/** Shares of a picture that may differ, and how much a pixel may before it counts. */
const TOLERANCE = { maxDiffPixelRatio: 0.01, threshold: 0.25 };
/** Measured while the page runs, or made up by the service. */
const VARIABLE = ".step-note, .error-code, .ability-detail";
/** Languages whose letters not every machine has. */
const OTHER_LETTERS = ":is(button, a):is(:lang(zh), :lang(ja))";

/** Takes the screen's picture in every size, light and dark, and compares them. */
function photographer(page: Page, tongue: string, sizes: readonly (typeof PHONE)[]): Stop {
  const [usual = PHONE] = sizes;
  return async (name) => {
    await settle(page);
    // Nothing under the pointer.
    await page.mouse.move(0, 0);
    for (const { name: size, ...viewport } of sizes) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await compare(page, [size, `${name}-${colorScheme}-${tongue}.png`]);
      }
    }
    await page.setViewportSize(usual);
  };
}

/** Words and fonts have come, and the kiosk knows that somebody is there. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator("h1").first()).not.toBeEmpty();
  await page.waitForLoadState("networkidle");
  await page.evaluate(async () => {
    dispatchEvent(new Event("wheel"));
    await document.fonts.ready;
    scrollTo(0, 0);
  });
}

/** A busy machine may draw a change late: looked at again before a difference counts. */
async function compare(page: Page, path: string[]): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const picture = await photograph(page);
    try {
      expect(picture).toMatchSnapshot(path, TOLERANCE);
      return;
    } catch {
      await page.waitForTimeout(500);
    }
  }
  // Soft: one walk tells of every screen that has changed.
  expect.soft(await photograph(page)).toMatchSnapshot(path, TOLERANCE);
}

async function photograph(page: Page): Promise<Buffer> {
  await setTagDays(page);
  const isPhone = page.viewportSize()?.width === PHONE.width;
  const hasDialog = (await page.locator("dialog[open]").count()) > 0;
  const picture = await page.screenshot({
    animations: "disabled",
    caret: "hide",
    fullPage: isPhone && !hasDialog,
    style: `${VARIABLE}, ${OTHER_LETTERS} { visibility: hidden !important; }`,
  });
  return smallPicture(picture);
}

test.beforeEach(async ({ browser, page }, info) => {
  const [major] = browser.version().split(".");
  info.skip(
    major !== MADE_WITH.chromium || process.platform !== MADE_WITH.platform,
    `the references were made with Chromium ${MADE_WITH.chromium} on ${MADE_WITH.platform}; this is ${browser.version()} on ${process.platform}`,
  );
  await sameEverywhere(page);
});

for (const { name, locale, words } of TONGUES) {
  test.describe(`in ${name}`, () => {
    test.use({ locale });
    test.setTimeout(300_000);

    test("a passenger's screens look as they should", async ({ scene }) => {
      await walkAsPassenger(scene, photographer(scene.page, name, [PHONE, KIOSK]));
    });

    test("a developer's screens look as they should", async ({ scene }) => {
      await walkAsDeveloper(scene, photographer(scene.page, name, [PHONE, KIOSK]));
    });

    test("a kiosk's screens look as they should", async ({ scene }) => {
      await scene.page.setViewportSize(KIOSK);
      await walkAsStaff(scene, words, photographer(scene.page, name, [KIOSK]));
    });
  });
}
