/** The words of the page in the languages of the tours: one from left to right and, by night, one from right to left. */

import { page as arabicPage } from "../../web/i18n/ar.ts";
import { errors as arabicErrors } from "../../web/i18n/ar-errors.ts";
import { kiosk as arabicKiosk } from "../../web/i18n/ar-kiosk.ts";
import { passenger as arabicPassenger } from "../../web/i18n/ar-passenger.ts";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { en } from "../../web/i18n/en.ts";

export interface Tongue {
  readonly name: "en" | "ar";
  /** The how manieth to walk through the same screens: see `paired`. */
  readonly turn: number;
  /** What the browser says its person reads. */
  readonly locale: string;
  readonly words: Dictionary;
}

const ENGLISH: Tongue = { name: "en", turn: 0, locale: "en-GB", words: en };
const ARABIC: Tongue = {
  name: "ar",
  turn: 1,
  locale: "ar",
  words: {
    ...arabicPage,
    errors: arabicErrors,
    kiosk: arabicKiosk,
    passenger: arabicPassenger,
  } as Dictionary,
};

/** Half of a tour's time is the way from screen to screen: by day it is walked once. */
export const TONGUES: readonly Tongue[] = process.env.LOOKS === "all" ? [ENGLISH, ARABIC] : [ENGLISH];
