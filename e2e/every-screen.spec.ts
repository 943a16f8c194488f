/**
 * Every screen in the settings people have: accessible, nothing runs out of the side, what goes on is in sight on a
 * small phone, and it looks as its picture under e2e/references does. A daily run has one setting, every third picture and some of
 * the walks. A change of the look is a change of these pictures: `FULL=1 npx playwright test every-screen --update-snapshots`, look, commit.
 */
import { FULL } from "../core/full.test-support.ts";
import { folds } from "./support/folds.ts";
import { inspector } from "./support/inspector.ts";
import { KIOSK, PHONE, stopFor } from "./support/looks.ts";
import { otherDrawing, photographer } from "./support/photographer.ts";
import { sameEveryDay } from "./support/same-every-day.ts";
import { expect, test } from "./support/test.ts";
import { touchTargets } from "./support/touch-targets.ts";
import { WALKS } from "./support/walks.ts";
import { TONGUES } from "./support/words.ts";

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
