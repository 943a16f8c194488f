import type { Page } from "@playwright/test";
import { FULL } from "../core/full.test-support.ts";
import { folds } from "./support/folds.ts";
import { inspector } from "./support/inspector.ts";
import { KIOSK, type Look, PHONE, stopFor } from "./support/looks.ts";
import { differenceFrom, otherDrawing, photographer, sameEveryDay, TONGUES } from "./support/photographer.ts";
import { expect, test } from "./support/test.ts";
import { WALKS } from "./support/walks.ts";

/** Looks at a kiosk's screen as hands in gloves do: everything that can be touched is large enough, however it stands. */

/** CSS pixels each way. */
const TARGET = 64;
const SIZES = [
  { name: "an upright kiosk", width: 1080, height: 1920 },
  { name: "a lying kiosk", width: 1920, height: 1080 },
  { name: "a tablet", width: 1280, height: 800 },
] as const;

/** Every size a kiosk has; what is too small, or runs out of the side, is added to `problems`. */
export function touchTargets(page: Page, problems: string[]): Look {
  return async (screen) => {
    for (const { name, ...size } of SIZES) {
      await page.setViewportSize(size);
      const found = await page.evaluate(outOfReach, TARGET);
      problems.push(...found.map((what) => `${screen}, ${name}: ${what}`));
    }
  };
}

/** Runs in the page. */
async function outOfReach(target: number): Promise<string[]> {
  // Without input the kiosk would assume that the passenger has left.
  dispatchEvent(new Event("wheel"));
  // Elements that are still moving in are smaller, or elsewhere.
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)));
  const touchable = (document.querySelector("dialog[open]") ?? document).querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']",
  );
  const small = [...touchable].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    // Half a pixel is rounding.
    const isSmall = width > 0 && Math.min(width, height) < target - 0.5;
    return isSmall ? [`${element.tagName} ${element.textContent}: ${width} × ${height}`] : [];
  });
  const overflow = document.documentElement.scrollWidth - innerWidth;
  return overflow > 0 ? [...small, `${overflow} px out of the side`] : small;
}

/**
 * Every screen in the settings people have: accessible, nothing runs out of the side, what goes on is in sight on a
 * small phone, and it looks as its picture under e2e/references does. A daily run has one setting, every third picture and some of
 * the walks. A change of the look is a change of these pictures: `FULL=1 npx playwright test every-screen --update-snapshots --workers 1`,
 * look, commit.
 */

test.use({
  // For the style that hides what varies.
  bypassCSP: true,
  timezoneId: "UTC",
});

for (const { who, sizes, isOnPhone, go } of WALKS.filter(({ isFullOnly }) => FULL || !isFullOnly))
  for (const tongue of TONGUES)
    test.describe(`in ${tongue.name}`, () => {
      test.use({ locale: tongue.locale });

      test(`${who} sees screens that are accessible and look as in their pictures`, async ({
        browser,
        scene,
      }, info) => {
        const { page } = scene;
        const usual = sizes[0] === "kiosk" ? KIOSK : PHONE;
        const problems: string[] = [];
        const looks = [inspector(page, usual, problems)];
        const other = otherDrawing(browser.version());
        if (isOnPhone) looks.push(folds(page, problems));
        if (usual === KIOSK) looks.push(touchTargets(page, problems));
        if (other === undefined) looks.unshift(photographer(page, info, tongue, sizes));
        else info.annotations.push({ type: "no pictures", description: other });
        await sameEveryDay(page);
        await page.setViewportSize(usual);
        await go(scene, tongue.words, stopFor(page, usual, looks));
        expect(problems).toEqual([]);
      });
    });

/** Changes that are easily made without looking, on the start page of a phone: the comparison must see them. */
const CHANGES = [
  { what: "a shade on the button", style: ":root { --accent-fill: #1b4ba6 !important; }" },
  { what: "a label of one word more", label: "Your surname" },
  {
    what: "four pixels more between the fields",
    style: "form { row-gap: calc(var(--s5) + 4px) !important; }",
  },
];

for (const { what, style, label } of CHANGES)
  test(
    `${what} differs from the picture, and the same screen does not`,
    { tag: "@nightly" },
    async ({ browser, page, service }, info) => {
      const other = otherDrawing(browser.version());
      info.skip(other !== undefined, other);
      await sameEveryDay(page);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.goto(service);
      const surname = page.locator("label", { hasText: "Surname" });
      await expect(surname).toBeVisible();
      await expect(async () => expect(await differenceFrom(page, info, "start")).toBe("none")).toPass();

      if (style !== undefined) await page.addStyleTag({ content: style });
      if (label !== undefined)
        await surname.evaluate((element, text) => element.replaceChildren(text), label);
      expect(await differenceFrom(page, info, "start")).toMatch(/pixels|Expected an image/);
    },
  );
