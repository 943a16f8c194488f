import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FALLBACK, LOCALES } from "../../core/api/locales.ts";
import type { page } from "../../web/i18n/en-page.ts";
import { bundleSizes, DESK_TEXTS, misplaced } from "../build/bundle-sizes.ts";
import { ROOT } from "../project-files.ts";

const others = LOCALES.filter((locale) => locale !== FALLBACK);
/** "Record locator" in every other language: a visitor loads only one. */
const foreign = others.map((locale) => {
  const words: typeof page = JSON.parse(readFileSync(join(ROOT, "web/i18n", locale, "page.json"), "utf8"));
  return words.start.recordLocator;
});

const sizes = bundleSizes();
for (const { name, bytes, limit } of sizes)
  console.log(`${name.padEnd(14)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of ${limit / 1000}`);

const problems = [
  ...sizes
    .filter(({ bytes, limit }) => bytes > limit)
    .map(({ name, bytes, limit }) => `${name}: ${bytes} bytes gzip, at most ${limit}`),
  ...misplaced(DESK_TEXTS, "a developer's desk"),
  ...misplaced(foreign, "another language"),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
