/** Checks a screen in people's settings: it is accessible, and nothing overflows sideways. */

import type { Page } from "@playwright/test";
import axe from "axe-core";
import { FULL } from "../../core/full.test-support.ts";
import { KIOSK, type Look, type Size } from "./looks.ts";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Axe rules that colours can affect; all other rules run in the first colours only. */
const OF_COLOURS = ["color-contrast", "link-in-text-block", "target-size"];
const MEDIA = [
  { name: "light", colorScheme: "light", forcedColors: "none" },
  { name: "dark", colorScheme: "dark", forcedColors: "none" },
  { name: "forced colours", colorScheme: "light", forcedColors: "active" },
] as const;
const NARROW: Size = { width: 320, height: 640 };
/** How many sights of a screen: in a daily run the first. */
const MANY = FULL ? undefined : 1;

interface Sight {
  readonly name: string;
  readonly size: Size;
  /** How large text is. */
  readonly text: number;
  /** Drawn against the direction of its language: shows in any language whether a screen can be mirrored. */
  readonly mirrored?: boolean;
}
/**
 * Axe pauses between rules so that the page stays usable. On a screen whose clock is stopped, the pause would never end: it
 * is left out.
 */
const AXE = `{
  const { setTimeout: later } = globalThis;
  const setTimeout = (action, delay, ...rest) => (delay ? later(action, delay, ...rest) : queueMicrotask(action));
  ${axe.source}
}`;

/**
 * Examines a narrow screen, light; adds what is wrong to `problems`. In a full run with large text, mirrored, and on a large
 * screen too, each in all colours.
 */
export function inspector(page: Page, usual: Size, problems: string[]): Look {
  const sights: readonly Sight[] = [
    { name: "320 px", size: NARROW, text: 1 },
    { name: "200 % text, mirrored", size: usual, text: 2, mirrored: true },
    { name: "a kiosk", size: KIOSK, text: 1 },
  ];
  const looks = sights.flatMap((sight) => MEDIA.map((media) => [sight, media] as const));
  return async (screen, settle) => {
    for (const [{ name, size, text, mirrored = false }, { name: colours, ...media }] of looks.slice(
      0,
      MANY,
    )) {
      await page.setViewportSize(size);
      await scaleText(page, text);
      if (mirrored) await mirror(page);
      await page.emulateMedia({ ...media, reducedMotion: "reduce" });
      await settle();
      const found = await wrongWith(page, colours === "light");
      problems.push(...found.map((what) => `${screen}, ${name}, ${colours}: ${what}`));
      if (mirrored) await mirror(page);
    }
    await scaleText(page, 1);
  };
}

/** Enlarges text as the setting of the browser does: everything measured in `rem` grows with it. */
async function scaleText(page: Page, factor: number): Promise<void> {
  await page.evaluate((times) => {
    const { documentElement: root } = document;
    root.style.removeProperty("font-size");
    if (times !== 1) root.style.fontSize = `${Number.parseFloat(getComputedStyle(root).fontSize) * times}px`;
  }, factor);
}

/** Changes the direction of writing from left-to-right to right-to-left, or back. */
async function mirror(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { documentElement: root } = document;
    root.dir = root.dir === "rtl" ? "ltr" : "rtl";
  });
}

async function wrongWith(page: Page, everything: boolean): Promise<string[]> {
  const overflow = await page.evaluate(async () => {
    // Without input the kiosk would assume that the passenger has left.
    dispatchEvent(new Event("wheel"));
    // While something fades in it is half transparent, and its colours would be measured wrong.
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)));
    const { clientWidth, scrollWidth, dir } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isOutside = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (dir === "rtl" ? left < 0 : right > clientWidth);
    };
    const outside = [...document.body.querySelectorAll("*")].filter(isOutside);
    return outside.map(({ tagName, className }) => `${tagName} ${String(className)} runs out of the side`);
  });
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async (runOnly) => {
      const world = globalThis as unknown as { axe: typeof axe };
      const { violations } = await world.axe.run(document, { runOnly, resultTypes: ["violations"] });
      return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(" ")}`);
    },
    everything ? ({ type: "tag", values: TAGS } as const) : ({ type: "rule", values: OF_COLOURS } as const),
  );
  return [...overflow.slice(0, 3), ...violations];
}
