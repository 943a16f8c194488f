/**
 * Which file has which words. Each is a chunk of its own: a visitor loads one language, and its parts when
 * needed.
 */
import { FALLBACK, type Locale } from "../../core/api/locales.ts";
import type { LoadedLanguage, PageWords, Part, Parts, Words } from "./dictionary.ts";
import { page } from "./en-page.ts";
import { askedLanguage, preferredLocale } from "./languages.ts";

/** English is there from the start: the fallback must not have to load. */
export const ENGLISH: Words = { page };

const PAGES: Record<Locale, () => Promise<PageWords>> = {
  en: async () => page,
  de: async () => (await import("./de.ts")).page,
  fr: async () => (await import("./fr.ts")).page,
  es: async () => (await import("./es.ts")).page,
  nb: async () => (await import("./nb.ts")).page,
  ar: async () => (await import("./ar.ts")).page,
  zh: async () => (await import("./zh.ts")).page,
  ja: async () => (await import("./ja.ts")).page,
};

const LOADERS: { readonly [P in Part]: Record<Locale, () => Promise<Parts[P]>> } = {
  errors: {
    en: async () => (await import("./en-errors.ts")).errors,
    de: async () => (await import("./de-errors.ts")).errors,
    fr: async () => (await import("./fr-errors.ts")).errors,
    es: async () => (await import("./es-errors.ts")).errors,
    nb: async () => (await import("./nb-errors.ts")).errors,
    ar: async () => (await import("./ar-errors.ts")).errors,
    zh: async () => (await import("./zh-errors.ts")).errors,
    ja: async () => (await import("./ja-errors.ts")).errors,
  },
  kiosk: {
    en: async () => (await import("./en-kiosk.ts")).kiosk,
    de: async () => (await import("./de-kiosk.ts")).kiosk,
    fr: async () => (await import("./fr-kiosk.ts")).kiosk,
    es: async () => (await import("./es-kiosk.ts")).kiosk,
    nb: async () => (await import("./nb-kiosk.ts")).kiosk,
    ar: async () => (await import("./ar-kiosk.ts")).kiosk,
    zh: async () => (await import("./zh-kiosk.ts")).kiosk,
    ja: async () => (await import("./ja-kiosk.ts")).kiosk,
  },
  passenger: {
    en: async () => (await import("./en-passenger.ts")).passenger,
    de: async () => (await import("./de-passenger.ts")).passenger,
    fr: async () => (await import("./fr-passenger.ts")).passenger,
    es: async () => (await import("./es-passenger.ts")).passenger,
    nb: async () => (await import("./nb-passenger.ts")).passenger,
    ar: async () => (await import("./ar-passenger.ts")).passenger,
    zh: async () => (await import("./zh-passenger.ts")).passenger,
    ja: async () => (await import("./ja-passenger.ts")).passenger,
  },
};

export function loadPart<P extends Part>(locale: Locale, part: P): Promise<Parts[P]> {
  return LOADERS[part][locale]();
}

/** The words of a language with the parts in use: a screen changes language as a whole or not at all. */
export async function loadWords(locale: Locale, parts: readonly Part[]): Promise<Words> {
  const [words, ...loaded] = await Promise.all([
    PAGES[locale](),
    ...parts.map(async (part) => [part, await loadPart(locale, part)] as const),
  ]);
  return { page: words, ...Object.fromEntries(loaded) };
}

/** The name under which the tests ask for the pseudo-locale. */
const PSEUDO = "x-pseudo";

/**
 * The language for the first drawing. Undefined means English, which is already there and needs no wait.
 * Readers of another language never see English first: the page is drawn once their words have loaded or failed to load.
 */
export function firstWords(
  isDevelopment: () => Promise<boolean>,
): Promise<LoadedLanguage | undefined> | undefined {
  if (askedLanguage() === PSEUDO) return pseudoWords(isDevelopment);
  const locale = preferredLocale();
  return locale === FALLBACK ? undefined : loadLanguage(locale);
}

async function loadLanguage(locale: LoadedLanguage["locale"]): Promise<LoadedLanguage | undefined> {
  try {
    return { locale, words: await loadWords(locale, []) };
  } catch {
    // Offline before these words were ever loaded: English is there.
    return undefined;
  }
}

async function pseudoWords(isDevelopment: () => Promise<boolean>): Promise<LoadedLanguage | undefined> {
  if (!(await isDevelopment())) return undefined;
  const { pseudo } = await import("./pseudo.ts");
  return { locale: FALLBACK, words: ENGLISH, pseudo };
}
