import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locale } from "../../core/api/locales.ts";
import { ROOT } from "../../scripts/project-files.ts";
import { type Dictionary, PARTS } from "../../web/i18n/dictionary.ts";
import { en } from "../../web/i18n/en.ts";
import { readCatalog } from "../../web/i18n/forms.ts";

/** The words of a language, from its files: the page's own way to load them is Vite's. */
export function wordsOf(locale: Locale): Dictionary {
  if (locale === "en") return en;
  const read = (part: string) =>
    readCatalog(locale, JSON.parse(readFileSync(join(ROOT, "web/i18n", locale, `${part}.json`), "utf8")));
  return { ...read("page"), ...Object.fromEntries(PARTS.map((part) => [part, read(part)])) } as Dictionary;
}
