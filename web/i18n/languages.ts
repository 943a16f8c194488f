import { LOCALES, type Locale } from "../../core/api/locales.ts";

/** What the page shows of a language: its own name for itself, the tag for `lang`, its direction. */
export interface Language {
  readonly locale: Locale;
  readonly name: string;
  /** More exact than the locale where the choice of glyphs depends on it. */
  readonly tag: string;
  readonly dir: "ltr" | "rtl";
}

const NAMES: Record<Locale, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  nb: "Norsk bokmål",
  ar: "العربية",
  zh: "简体中文",
  ja: "日本語",
};

export const LANGUAGES: readonly Language[] = LOCALES.map((locale) => ({
  locale,
  name: NAMES[locale],
  tag: locale === "zh" ? "zh-Hans" : locale,
  dir: locale === "ar" ? "rtl" : "ltr",
}));

export const FALLBACK: Locale = "en";

/** Languages whose readers read one of ours better than English. */
const READ_AS: Readonly<Record<string, Locale>> = { no: "nb", nn: "nb", da: "nb" };

/** The first of the wanted languages that the page speaks; else English. */
export function chooseLocale(wanted: readonly string[]): Locale {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split(/[-_]/)[0] ?? "";
    const known = LOCALES.find((locale) => locale === language) ?? READ_AS[language];
    if (known !== undefined) return known;
  }
  return FALLBACK;
}

export function isLocale(text: string | null): text is Locale {
  return LOCALES.some((locale) => locale === text);
}
