import type { Locale } from "../../core/api/locales.ts";
import { chooseLocale, isLocale } from "./languages.ts";

const REMEMBERED = "taglatch.language";
/** In an address: `?lang=de` asks for a language, `?lang=x-pseudo` for the pseudo-locale of the tests. */
const PARAMETER = "lang";

/**
 * The language of this visit: the one in the address, else the one chosen here before, else the person's own.
 */
export function wantedLocale(): Locale {
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
