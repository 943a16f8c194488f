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

/** The letters on the keys of the on-screen keyboard, from the top. */
export function keyboardRows(locale: Locale): readonly (readonly string[])[] {
  const [top = "", middle = "", bottom = ""] = LETTERS[locale] ?? QWERTY;
  const rows = ["1234567890", top, middle, `${bottom}'-`, BEYOND[locale] ?? ""];
  return rows.filter((row) => row !== "").map((row) => [...row]);
}
