/**
 * Every screen in the settings people have: accessible, nothing runs out of the side, what goes on is in sight on a
 * small phone, and it looks as its picture under e2e/references does. A change of the look is a change of these pictures:
 * `npx playwright test every-screen --update-snapshots`, look at them, commit them.
 */
import type { Dictionary } from "../web/i18n/dictionary.ts";
import { folds } from "./support/folds.ts";
import { inspector } from "./support/inspector.ts";
import { walkThroughShift, walkThroughVisits } from "./support/kiosk-tour.ts";
import { KIOSK, PHONE, type Stop, stopFor } from "./support/looks.ts";
import { otherDrawing, photographer, type SizeName } from "./support/photographer.ts";
import { sameEveryDay } from "./support/same-every-day.ts";
import { expect, test } from "./support/test.ts";
import { touchTargets } from "./support/touch-targets.ts";
import { type Scene, walkAsDeveloper, walkToWrittenTag, walkWithWrittenTag } from "./support/tour.ts";
import { TONGUES } from "./support/words.ts";

test.use({
  // For the style that hides what varies.
  bypassCSP: true,
  timezoneId: "UTC",
});

interface Walk {
  readonly who: string;
  readonly sizes: readonly SizeName[];
  /** Passengers hold small phones. */
  readonly isOnPhone?: boolean;
  readonly go: (scene: Scene, words: Dictionary, stop: Stop) => Promise<void>;
}

/** The longest first, so that two workers end together. */
const WALKS: readonly Walk[] = [
  {
    who: "a passenger with a written tag",
    isOnPhone: true,
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkWithWrittenTag(scene, stop),
  },
  {
    who: "a passenger on the way to a written tag",
    isOnPhone: true,
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkToWrittenTag(scene, stop),
  },
  { who: "staff with passengers", sizes: ["kiosk"], go: walkThroughVisits },
  { who: "staff in their shift", sizes: ["kiosk"], go: walkThroughShift },
  {
    who: "a developer",
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkAsDeveloper(scene, stop),
  },
];

for (const { who, sizes, isOnPhone, go } of WALKS)
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
        const looks = [inspector(page, usual, tongue.turn, problems)];
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
