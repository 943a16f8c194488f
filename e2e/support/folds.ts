/** Looks at a passenger's screen as a small phone shows it: what goes on is in sight, above the keyboard too. Of an outcome everything that can be done is, on the larger. */
import type { Page } from "@playwright/test";
import type { Look } from "./looks.ts";

const SIZES = [
  { width: 360, height: 740 },
  { width: 320, height: 568 },
] as const;
/** What a keyboard takes of the height while a field has the focus. */
const KEYBOARD = 260;

/** Adds each primary button that is not in sight, and each field that its keyboard or that button would hide. */
export function folds(page: Page, problems: string[]): Look {
  return async (screen) => {
    for (const { width, height } of SIZES) {
      await page.setViewportSize({ width, height });
      const found = await page.evaluate(outOfSight, false);
      await page.setViewportSize({ width, height: height - KEYBOARD });
      found.push(...(await page.evaluate(outOfSight, true)));
      problems.push(...found.map((what) => `${screen}, ${width} × ${height}: ${what}`));
    }
    await page.evaluate(() => scrollTo(0, 0));
  };
}

/** Runs in the page. A running job has one button: it cancels. */
function outOfSight(isTyping: boolean): string[] {
  const root = document.querySelector("dialog[open]") ?? document.querySelector("main");
  const all = <Kind extends HTMLElement>(what: string) => [...(root?.querySelectorAll<Kind>(what) ?? [])];
  const outcome = innerHeight >= 740 ? ", .outcome .button" : "";
  const buttons = all(`.button[data-kind=primary], .working .button${outcome}`);
  const isSeen = (element: Element) => {
    const { top, bottom, left, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return top >= 0 && bottom <= innerHeight && hit !== null && element.contains(hit);
  };
  const hidden = (where: string, elements: readonly HTMLElement[]) =>
    elements
      .filter((element) => element.checkVisibility() && !isSeen(element))
      .map((element) => `“${element.textContent || element.getAttribute("name")}” is not in sight${where}`);
  root?.scrollTo(0, 0);
  scrollTo(0, 0);
  if (!isTyping) return hidden("", buttons);
  const fields = all<HTMLInputElement>("input:not([type=file])");
  // Upwards, and down again: a field comes into sight with its label from either side.
  return [...fields.toReversed(), ...fields].flatMap((field) => {
    // A browser scrolls to the field that has the focus when its keyboard comes.
    field.blur();
    field.focus();
    return hidden(` while ${field.name} is typed`, [field, ...(field.labels ?? []), ...buttons]);
  });
}
