import type { Locale } from "../../core/api/locales.ts";

const QWERTY = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];
/** Where keyboards of a country put their letters elsewhere. */
const LETTERS: Partial<Record<Locale, readonly string[]>> = {
  de: ["QWERTZUIOP", "ASDFGHJKL", "YXCVBNM"],
  fr: ["AZERTYUIOP", "QSDFGHJKLM", "WXCVBN"],
};
/**
 * Letters of surnames beyond A to Z, at most ten. Nobody needs them: a name is found however it is spelt (rules §4), and
 * boarding passes are printed in A to Z, in every language and script.
 */
const BEYOND: Partial<Record<Locale, string>> = {
  de: "ÄÖÜß",
  fr: "ÀÂÇÉÈÊËÎÏÔ",
  es: "ÁÉÍÑÓÚÜ",
  nb: "ÆØÅ",
};

/** The rest of ASCII: passwords may have any of it. */
const SYMBOLS = ['!"#$%&/()=', "?*+@_.,;:-", "<>[]{}|~^\\", "'`"];

/** What the keys of the on-screen keyboard type, by the name of each set: bookings need capitals alone. */
export const KEY_SETS = ["abc", "ABC", "#+="] as const;
export type KeySet = (typeof KEY_SETS)[number];

/** What is on the keys, from the top. */
export function keyboardRows(locale: Locale, set: KeySet): readonly (readonly string[])[] {
  const [top = "", middle = "", bottom = ""] = LETTERS[locale] ?? QWERTY;
  const capitals = ["1234567890", top, middle, `${bottom}'-`, BEYOND[locale] ?? ""];
  const rows = set === "#+=" ? SYMBOLS : capitals.filter((row) => row !== "");
  return rows.map((row) => [...(set === "abc" ? row.toLowerCase() : row)]);
}
