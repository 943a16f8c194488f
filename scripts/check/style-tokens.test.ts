import { expect, test } from "vitest";
import { GROUND } from "../../web/ui/theme.ts";
import { projectFiles, projectText } from "../project-files.ts";

const sheets = projectFiles("web/**/*.css").filter((path) => !path.endsWith("/tokens.css"));

test("there are style sheets to look at", () => {
  expect(sheets).toContain("web/ui/base.css");
});

test.each(sheets)("%s takes its colours, fonts and lengths from the tokens", (path) => {
  const css = projectText(path).replace(/\/\*[\s\S]*?\*\//g, "");
  // Conditions of media and container queries cannot read custom properties.
  const rules = css.replace(/@(media|container)[^{]*\{/g, "{");
  expect(rules.match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|lab)\(/gi) ?? []).toEqual([]);
  expect(rules.match(/(?<![-\w])\d*\.?\d+(px|rem|vw|vh)\b/g) ?? []).toEqual([]);
  expect(rules.match(/font-family:(?! ?(var\(|inherit)).*/g) ?? []).toEqual([]);
});

const everySheet = projectFiles("web/**/*.css");

test.each(everySheet)("%s knows start and end, not left and right", (path) => {
  const css = projectText(path).replace(/\/\*[\s\S]*?\*\//g, "");
  // The system's safe areas have no logical names.
  const rules = css.replace(/env\(safe-area-inset-[a-z]+\)/g, "");
  const physical =
    /(?<![-\w])(left|right|(margin|padding|border|scroll-margin|scroll-padding)-(left|right)[-\w]*|border-(top|bottom)-(left|right)-radius)\s*:|(text-align|float|clear)\s*:\s*(left|right)\b/g;
  expect(rules.match(physical) ?? []).toEqual([]);
});

test("an airline's colours are measured against the grounds of the tokens", () => {
  const css = projectText("web/ui/tokens.css");
  for (const name of ["canvas", "surface", "ink"] as const)
    expect(css).toContain(`--${name}: light-dark(${GROUND.light[name]}, ${GROUND.dark[name]})`);
});

const components = projectFiles("web/**/*.tsx").filter((path) => !path.includes(".test."));

/** An object of computed values is set through the CSSOM, which the page's policy allows; anything else is an attribute. */
test.each(components)("%s has no style attribute, which the page's policy forbids", (path) => {
  expect(projectText(path).match(/\sstyle=(?!\{\{).{0,20}/g) ?? []).toEqual([]);
});
