import type { errors } from "./en-errors.ts";
import type { kiosk } from "./en-kiosk.ts";
import type { page } from "./en-page.ts";
import type { passenger } from "./en-passenger.ts";

/** Texts and messages of the same keys in any language. */
export type Widen<T> = T extends string
  ? string
  : T extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof T]: Widen<T[Key]> };

/** What every language has to say. A missing or surplus key is a type error in its file. */
export type PageWords = Widen<typeof page>;
export type ErrorWords = Widen<typeof errors>;
export type KioskWords = Widen<typeof kiosk>;
export type PassengerWords = Widen<typeof passenger>;

/** Parts of a dictionary that load at their first use. */
export type Parts = {
  readonly errors: ErrorWords;
  readonly kiosk: KioskWords;
  readonly passenger: PassengerWords;
};
export type Part = keyof Parts;
export const PARTS: readonly Part[] = ["errors", "kiosk", "passenger"];

/** Everything `t` can be asked for. */
export type Dictionary = PageWords & Parts;

/** What is there of a language at one moment: the page's words always, parts once they have loaded. */
export interface Words extends Partial<Parts> {
  readonly page: PageWords;
}

/** One error: what happened, and the one thing to do next. */
export const said = (what: string, next: string) => ({ what, next });
