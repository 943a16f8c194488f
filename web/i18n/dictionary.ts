import type { Locale } from "../../core/api/locales.ts";
import type { errors } from "./en-errors.ts";
import type { kiosk } from "./en-kiosk.ts";
import type { page } from "./en-page.ts";
import type { passenger } from "./en-passenger.ts";
import type { text } from "./forms.ts";

/** Texts and messages in any language: no keys beyond those of English, though some may still be missing. */
type Translated<T> = T extends string | ((...args: never) => string)
  ? T
  : { readonly [Key in keyof T]?: Translated<T[Key]> };

/** The words that every language needs; dictionaries.test.ts names those that are missing. */
export type PageWords = Translated<typeof page>;
export type ErrorWords = Translated<typeof errors>;
export type KioskWords = Translated<typeof kiosk>;
export type PassengerWords = Translated<typeof passenger>;

/** Parts of a dictionary that load when first used. */
export type Parts = {
  readonly errors: ErrorWords;
  readonly kiosk: KioskWords;
  readonly passenger: PassengerWords;
};
export type Part = keyof Parts;
export const PARTS: readonly Part[] = ["errors", "kiosk", "passenger"];

/** Everything that `t` can be asked for. */
export type Dictionary = typeof page & {
  readonly errors: Record<keyof typeof errors, ReturnType<typeof text>>;
  readonly kiosk: typeof kiosk;
  readonly passenger: typeof passenger;
};

/** The words of a language that are loaded: always the page's own, and parts once they have loaded. */
export interface Words extends Partial<Parts> {
  readonly page: PageWords;
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
