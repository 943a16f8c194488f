import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles, ROOT } from "./project-files.ts";

const sheets = projectFiles("web/**/*.css").filter((path) => !path.endsWith("/tokens.css"));

test("there are style sheets to look at", () => {
  expect(sheets).toContain("web/ui/base.css");
});

test.each(sheets)("%s takes its colours, fonts and lengths from the tokens", (path) => {
  const css = readFileSync(join(ROOT, path), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  // Conditions of media and container queries cannot read custom properties.
  const rules = css.replace(/@(media|container)[^{]*\{/g, "{");
  expect(rules.match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|lab)\(/gi) ?? []).toEqual([]);
  expect(rules.match(/(?<![-\w])\d*\.?\d+(px|rem|vw|vh)\b/g) ?? []).toEqual([]);
  expect(rules.match(/font-family:(?! ?(var\(|inherit)).*/g) ?? []).toEqual([]);
});
