/**
 * Which file has which words. Each is a chunk of its own: a visitor loads one language, and its parts when
 * needed.
 */
import type { Locale } from "../../core/api/locales.ts";
import type { PageWords, Part, Parts, Spoken, Words } from "./dictionary.ts";
import { page } from "./en-page.ts";
import { askedLanguage, FALLBACK, wantedLocale } from "./languages.ts";

/** English is there from the start: the fallback must not have to load. */
export const ENGLISH: Words = { page };

const PAGES = import.meta.glob<PageWords>(["./[a-z][a-z].ts", "!./en.ts"], { import: "page" });

const PARTS: { readonly [P in Part]: Record<string, () => Promise<Parts[P]>> } = {
  errors: import.meta.glob<Parts["errors"]>("./*-errors.ts", { import: "errors" }),
  kiosk: import.meta.glob<Parts["kiosk"]>("./*-kiosk.ts", { import: "kiosk" }),
  passenger: import.meta.glob<Parts["passenger"]>("./*-passenger.ts", { import: "passenger" }),
};

export const loadPart = <P extends Part>(locale: Locale, part: P): Promise<Parts[P]> =>
  loaded(PARTS[part], `./${locale}-${part}.ts`);

/** The words of a language with the parts in use: a screen changes language as a whole or not at all. */
export async function loadWords(locale: Locale, parts: readonly Part[]): Promise<Words> {
  const [words, ...others] = await Promise.all([
    locale === FALLBACK ? page : loaded(PAGES, `./${locale}.ts`),
    ...parts.map(async (part) => [part, await loadPart(locale, part)] as const),
  ]);
  return { page: words, ...Object.fromEntries(others) };
}

async function loaded<Value>(files: Record<string, () => Promise<Value>>, name: string): Promise<Value> {
  const file = files[name];
  if (file === undefined) throw new Error(`no words in ${name}`);
  return file();
}

/** The name under which the tests ask for the pseudo-locale. */
const PSEUDO = "x-pseudo";

/**
 * The language for the first drawing. Undefined means English, which is already there and needs no wait.
 * Nobody who reads another language sees English first: the page is drawn once their words have loaded or
 * failed to load.
 */
export function firstWords(isDevelopment: () => Promise<boolean>): Promise<Spoken | undefined> | undefined {
  if (askedLanguage() === PSEUDO) return pseudoWords(isDevelopment);
  const locale = wantedLocale();
  return locale === FALLBACK ? undefined : spokenIn(locale);
}

async function spokenIn(locale: Spoken["locale"]): Promise<Spoken | undefined> {
  try {
    return { locale, words: await loadWords(locale, []) };
  } catch {
    // Offline before these words were ever loaded: English is there.
    return undefined;
  }
}

async function pseudoWords(isDevelopment: () => Promise<boolean>): Promise<Spoken | undefined> {
  if (!(await isDevelopment())) return undefined;
  const { pseudo } = await import("./pseudo.ts");
  return { locale: FALLBACK, words: ENGLISH, pseudo };
}
