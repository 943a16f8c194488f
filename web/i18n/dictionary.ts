import type { Locale } from "../../core/api/locales.ts";
import type { errors } from "./en-errors.ts";
import type { kiosk } from "./en-kiosk.ts";
import type { page } from "./en-page.ts";
import type { passenger } from "./en-passenger.ts";

/**
 * Parts of a dictionary that load when first used. Every language has what English has: dictionaries.test.ts
 * names what is missing in a catalog.
 */
export type Parts = {
  readonly errors: typeof errors;
  readonly kiosk: typeof kiosk;
  readonly passenger: typeof passenger;
};
export type Part = keyof Parts;
export const PARTS: readonly Part[] = ["errors", "kiosk", "passenger"];

/** Everything that `t` can be asked for. */
export type Dictionary = typeof page & Parts;

/** The words of a language that are loaded: always the page's own, and parts once they have loaded. */
export interface Words extends Partial<Parts> {
  readonly page: typeof page;
}

/** A language with its words. */
export interface LoadedLanguage {
  readonly locale: Locale;
  readonly words: Words;
  /** The pseudo-locale of the tests has its own way to load and to format. */
  readonly pseudo?: Pseudo;
}

export interface Pseudo {
  readonly tag: string;
  readonly words: (words: Words) => Words;
  readonly text: (text: string) => string;
}
