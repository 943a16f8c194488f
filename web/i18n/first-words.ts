import type { Spoken } from "./index.tsx";
import { askedLanguage, FALLBACK, wantedLocale } from "./languages.ts";
import { ENGLISH, loadWords } from "./load.ts";

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
  return locale === FALLBACK ? undefined : loaded(locale);
}

async function loaded(locale: Spoken["locale"]): Promise<Spoken | undefined> {
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
