import { chooseLocale, LOCALES, type Locale } from "../../core/api/locales.ts";

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

export function isLocale(text: string | null): text is Locale {
  return LOCALES.some((locale) => locale === text);
}

const REMEMBERED = "taglatch.language";
/** In an address: `?lang=de` asks for a language, `?lang=x-pseudo` for the pseudo-locale of the tests. */
const PARAMETER = "lang";

/**
 * The language of this visit: the one in the address, else the one chosen here before, else the person's own.
 */
export function preferredLocale(): Locale {
  const asked = askedLanguage();
  if (isLocale(asked)) return asked;
  const remembered = storage()?.getItem(REMEMBERED) ?? null;
  return isLocale(remembered) ? remembered : ownLocale();
}

export const askedLanguage = () => new URLSearchParams(location.search).get(PARAMETER);

/** The language that the browser reports for its user. */
export const ownLocale = () => chooseLocale(navigator.languages);

export const rememberLocale = (locale: Locale) => storage()?.setItem(REMEMBERED, locale);

export const forgetRemembered = () => storage()?.removeItem(REMEMBERED);

/** Where storage is forbidden, even reading the property throws; then a choice lasts as long as the page. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
