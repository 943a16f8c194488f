/** Loads words. Each file of a language is a chunk of its own: a visitor loads one language, and its parts when needed. */
import { FALLBACK, type Locale } from "../../core/api/locales.ts";
import type { LoadedLanguage, Part, Words } from "./dictionary.ts";
import { page } from "./en-page.ts";
import { type Catalog, readCatalog } from "./forms.ts";
import { askedLanguage, preferredLocale } from "./languages.ts";

const CATALOGS = import.meta.glob<Catalog>("./*/*.json", { import: "default" });

/** English is there from the start: the fallback must not have to load. */
export const ENGLISH: Words = { page };

type Loaded = Required<Words>;
const ENGLISH_PARTS: { readonly [P in keyof Loaded]: () => Promise<Loaded[P]> } = {
  page: async () => page,
  errors: async () => (await import("./en-errors.ts")).errors,
  kiosk: async () => (await import("./en-kiosk.ts")).kiosk,
  passenger: async () => (await import("./en-passenger.ts")).passenger,
};

export async function loadPart<P extends keyof Loaded>(locale: Locale, part: P): Promise<Loaded[P]> {
  const load = CATALOGS[`./${locale}/${part}.json`];
  return load ? (readCatalog(locale, await load()) as Loaded[P]) : ENGLISH_PARTS[part]();
}

/** The words of a language with the parts in use: a screen changes language as a whole or not at all. */
export async function loadWords(locale: Locale, parts: readonly Part[]): Promise<Words> {
  const loaded = (["page", ...parts] as const).map(async (part) => [part, await loadPart(locale, part)]);
  return Object.fromEntries(await Promise.all(loaded));
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
