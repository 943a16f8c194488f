import type { Spoken } from "./index.tsx";
import { FALLBACK } from "./languages.ts";
import { ENGLISH, loadWords } from "./load.ts";
import { askedLanguage, wantedLocale } from "./wanted.ts";

/** The name under which the tests ask for the pseudo-locale. */
const PSEUDO = "x-pseudo";

/**
 * What to speak from the first drawing on. Undefined: English, which is there already and waits for nothing. Nobody
 * sees English first who reads something else: the page is drawn when their words have come, or could not.
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
    // Offline before the words were ever here: English is.
    return undefined;
  }
}

async function pseudoWords(isDevelopment: () => Promise<boolean>): Promise<Spoken | undefined> {
  if (!(await isDevelopment())) return undefined;
  const { pseudo } = await import("./pseudo.ts");
  return { locale: FALLBACK, words: ENGLISH, pseudo };
}
