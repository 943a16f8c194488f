/** Languages that the page speaks and the configuration lists, as BCP 47 tags. The first is the fallback. */
export const LOCALES = ["en", "de", "fr", "es", "nb", "ar", "zh", "ja"] as const;
export type Locale = (typeof LOCALES)[number];

/** The language of readers of whom no language is known. */
export const FALLBACK: Locale = "en";

/** Languages whose readers read one of ours better than English. */
const READ_AS: ReadonlyMap<string, Locale> = new Map([
  ["no", "nb"],
  ["nn", "nb"],
  ["da", "nb"],
]);

/** The first of the preferred languages (BCP 47 tags) that the page has; else English. */
export function chooseLocale(preferred: readonly string[]): Locale {
  for (const tag of preferred) {
    const language = tag.trim().toLowerCase().split(/[-_;]/)[0] ?? "";
    const known = LOCALES.find((locale) => locale === language) ?? READ_AS.get(language);
    if (known !== undefined) return known;
  }
  return FALLBACK;
}
