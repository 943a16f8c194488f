import type { errors } from "./en-errors.ts";
import type { kiosk } from "./en-kiosk.ts";
import type { page } from "./en-page.ts";
import type { passenger } from "./en-passenger.ts";

/** Texts and messages in any language: no key that English has not, and as many of English's as are translated. */
type Translated<T> = T extends string | ((...args: never) => string)
  ? T
  : { readonly [Key in keyof T]?: Translated<T[Key]> };

/** What every language has to say; what it does not say yet, dictionaries.test.ts names. */
export type PageWords = Translated<typeof page>;
export type ErrorWords = Translated<typeof errors>;
export type KioskWords = Translated<typeof kiosk>;
export type PassengerWords = Translated<typeof passenger>;

/** Parts of a dictionary that load at their first use. */
export type Parts = {
  readonly errors: ErrorWords;
  readonly kiosk: KioskWords;
  readonly passenger: PassengerWords;
};
export type Part = keyof Parts;
export const PARTS: readonly Part[] = ["errors", "kiosk", "passenger"];

/** Everything `t` can be asked for. */
export type Dictionary = typeof page & {
  readonly errors: Record<keyof typeof errors, ReturnType<typeof said>>;
  readonly kiosk: typeof kiosk;
  readonly passenger: typeof passenger;
};

/** What is there of a language at one moment: the page's words always, parts once they have loaded. */
export interface Words extends Partial<Parts> {
  readonly page: PageWords;
}

/** One error: what happened, and the one thing to do next. */
export const said = (what: string, next: string) => ({ what, next });
