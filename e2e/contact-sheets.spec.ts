/**
 * A sheet of every screen for each language and setting (`npm run nightly -- contact-sheets`): pages under
 * test-results/sheets, to be looked at. Pictures are compared by every-screen.spec.ts; here only what goes on must be
 * in sight on a small phone, in every language. Chinese and Japanese come in the machine's own fonts, which
 * `npm run nightly -- stories` installs where it may; else their letters are boxes.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { LOCALES, type Locale } from "../core/api/locales.ts";
import { ROOT } from "../scripts/project-files.ts";
import { launchForTests } from "./support/browser.ts";
import { folds } from "./support/folds.ts";
import { scaleText } from "./support/inspector.ts";
import { KIOSK, type Look, PHONE, type Size, stopFor } from "./support/looks.ts";
import { sameEveryDay } from "./support/photographer.ts";
import { expect, test } from "./support/test.ts";
import { WALKS } from "./support/walks.ts";
import { wordsOf } from "./support/words.ts";

const FOLDER = join(ROOT, "test-results", "sheets");

interface Setting {
  readonly name: string;
  readonly size: Size;
  /** How large text is. */
  readonly text?: number;
  readonly media?: { readonly colorScheme?: "dark"; readonly forcedColors?: "active" };
}
const SMALL: Size = { width: 360, height: 740 };
const LIGHT: Setting = { name: "360", size: SMALL };
const DARK: Setting = { name: "360-dark", size: SMALL, media: { colorScheme: "dark" } };
const NARROW: Setting = { name: "320", size: { width: 320, height: 568 } };
const UPRIGHT: Setting = { name: "kiosk", size: KIOSK };
const WIDE: Setting = { name: "kiosk-wide", size: { width: KIOSK.height, height: KIOSK.width } };
const FORCED = { colorScheme: "dark", forcedColors: "active" } as const;

/** What a person holds, and what stands in a hall, beyond one of each for every language. */
const IN_HAND: Partial<Record<Locale, readonly Setting[]>> = {
  en: [
    LIGHT,
    DARK,
    NARROW,
    { name: "360-text-200", size: SMALL, text: 2 },
    { name: "360-forced-colours", size: SMALL, media: FORCED },
    { name: "tablet", size: { width: 820, height: 1180 } },
  ],
  ar: [LIGHT, DARK],
  de: [LIGHT, NARROW],
};
const IN_THE_HALL: Partial<Record<Locale, readonly Setting[]>> = {
  en: [
    UPRIGHT,
    WIDE,
    { name: "kiosk-dark", size: KIOSK, media: { colorScheme: "dark" } },
    { name: "kiosk-forced-colours", size: KIOSK, media: FORCED },
  ],
};

test.use({ timezoneId: "UTC", launchOptions: launchForTests("fonts-of-sheets.conf") });

for (const locale of LOCALES)
  test.describe(`in ${locale}`, () => {
    test.use({ locale });
    for (const [at, { who, sizes, isOnPhone, go }] of WALKS.entries())
      test(`${who} has a sheet of every screen`, async ({ scene }) => {
        const isKiosk = sizes[0] === "kiosk";
        const settings = isKiosk ? (IN_THE_HALL[locale] ?? [UPRIGHT]) : (IN_HAND[locale] ?? [LIGHT]);
        for (const { name } of settings) startSheet(`${locale}-${name}`, at);
        await sameEveryDay(scene.page);
        const usual = isKiosk ? KIOSK : PHONE;
        await scene.page.setViewportSize(usual);
        const problems: string[] = [];
        const looks = [onSheets(scene.page, locale, settings, at)];
        if (isOnPhone) looks.push(folds(scene.page, problems));
        await go(scene, wordsOf(locale), stopFor(scene.page, usual, looks));
        expect(problems).toEqual([]);
      });
  });

/** Walks are numbered, and so are their screens: together the order of the sheet. */
const ofWalk = (walk: number, file: string) => file.startsWith(`${walk}-`);

function startSheet(name: string, walk: number): void {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (ofWalk(walk, file)) rmSync(join(folder, file));
}

/** Puts each screen on the sheet of each setting. */
function onSheets(page: Page, locale: Locale, settings: readonly Setting[], walk: number): Look {
  let screens = 10;
  return async (screen, settle) => {
    const name = `${walk}-${screens++}-${screen}.png`;
    for (const { name: setting, size, text = 1, media } of settings) {
      await page.setViewportSize(size);
      await scaleText(page, text);
      await page.emulateMedia({
        colorScheme: "light",
        forcedColors: "none",
        reducedMotion: "reduce",
        ...media,
      });
      await settle();
      const isDialog = (await page.locator("dialog[open]").count()) > 0;
      const path = join(FOLDER, `${locale}-${setting}`, name);
      await page.screenshot({
        path,
        animations: "disabled",
        fullPage: size.width < KIOSK.width && !isDialog,
      });
      hang(`${locale}-${setting}`);
    }
    await scaleText(page, 1);
  };
}

/** The sheet itself, of all the pictures that there are by now. */
function hang(name: string): void {
  const figures = readdirSync(join(FOLDER, name))
    .toSorted()
    .map((file) => `<figure><img src="${name}/${file}" alt=""><figcaption>${file}</figcaption></figure>`);
  const style =
    "body{font:12px sans-serif;display:flex;flex-wrap:wrap;gap:16px;background:#888}figure{margin:0}img{inline-size:270px;display:block}";
  const head = `<!doctype html><meta charset="utf-8"><title>${name}</title><style>${style}</style>`;
  writeFileSync(join(FOLDER, `${name}.html`), `${head}${figures.join("")}`);
}
