/** The words of the page in the languages of the tours: one from left to right and, in a full run, one from right to left. */

import { FULL } from "../../core/full.test-support.ts";
import { page as arabicPage } from "../../web/i18n/ar.ts";
import { errors as arabicErrors } from "../../web/i18n/ar-errors.ts";
import { kiosk as arabicKiosk } from "../../web/i18n/ar-kiosk.ts";
import { passenger as arabicPassenger } from "../../web/i18n/ar-passenger.ts";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { en } from "../../web/i18n/en.ts";

export interface Tongue {
  readonly name: "en" | "ar";
  /** Number of this walk through the same screens: see `paired`. */
  readonly turn: number;
  /** The language that the browser asks for. */
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

/** Half of a tour's time goes into moving between screens: a daily run has one. */
export const TONGUES: readonly Tongue[] = FULL ? [ENGLISH, ARABIC] : [ENGLISH];
