/** Number, plural and unit forms of every language, by Intl. Used by the dictionaries. */
import type { Locale } from "../../core/api/locales.ts";

/** Digits 0–9 in every language: the ones on tags, tickets and departure boards. */
export const withDigits = (tag: string) => `${tag}-u-nu-latn`;

/** One error: what happened, and the one thing to do next. */
export const text = (what: string, next: string) => ({ what, next });

/**
 * A message that depends on a count: one form for each plural category of the language (CLDR); `{n}` in it is
 * the count.
 */
export function plural(
  locale: Locale,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>,
): (count: number) => string {
  let rules: Intl.PluralRules | undefined;
  let digits: Intl.NumberFormat | undefined;
  return (count) => {
    rules ??= new Intl.PluralRules(locale);
    digits ??= new Intl.NumberFormat(withDigits(locale));
    return (forms[rules.select(count)] ?? "").replace("{n}", digits.format(count));
  };
}

/** 87 → "87%", "87 %", "٪87": the argument is per cent, not a fraction. */
export const percent = (locale: Locale) => numbers(locale, { style: "unit", unit: "percent" });

/** 1.4 → "1.4 sec", "1,4 s", "1.4 秒". */
export const seconds = (locale: Locale) =>
  numbers(locale, { style: "unit", unit: "second", unitDisplay: "short", maximumFractionDigits: 1 });

function numbers(locale: Locale, options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat(withDigits(locale), options);
    return format.format(value);
  };
}

/** A tag's name stays on one line: behind its hyphen a browser would go on to the next (U+2060, word joiner). */
export const unbroken = <Value>(value: Value): Value | string =>
  typeof value === "string" ? value.replaceAll("EBT-", "EBT-\u2060") : value;

/** A number stays beside the word that it counts or names, "bag 1": no line ends between them (U+00A0). */
export const withNumbers = (text: string): string => text.replace(/ (?=\d)/g, "\u00a0");
