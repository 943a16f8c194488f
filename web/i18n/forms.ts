/** Number, plural and unit forms of every language, by Intl. What a dictionary is made with. */
import type { Locale } from "../../core/api/locales.ts";

/** Digits 0–9 in every language: the ones on tags, tickets and departure boards. */
export const withDigits = (tag: string) => `${tag}-u-nu-latn`;

/** One error: what happened, and the one thing to do next. */
export const text = (what: string, next: string) => ({ what, next });

/** Texts by name, and names within names, as translators' tools have them (i18next's JSON, version 4). */
export interface Catalog {
  readonly [name: string]: string | Catalog;
}

/** A catalog in the shape of English: texts with placeholders, and the forms of a count, become functions. */
export function readCatalog(locale: Locale, catalog: Catalog): object {
  const words: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(catalog)) {
    const [name = "", category] = key.split("_");
    if (typeof value === "object") words[key] = readCatalog(locale, value);
    else if (category) words[name] = plural(locale, catalog, `${name}_`);
    else words[key] = value.includes("{{") ? message(locale, value) : value;
  }
  return words;
}

/**
 * `{{0}}` and `{{1}}` are the arguments, as English counts them; `{{percent}}` is the first, per cent; `{{gap}}` is
 * the space that Chinese and Japanese have beside a city in Latin letters, and beside no other.
 */
function message(locale: Locale, text: string): (...args: readonly unknown[]) => string {
  return (...args) =>
    text.replace(/{{(\w+)}}/g, (_hole, name: string) => {
      if (name === "percent") return percent(locale)(Number(args[0]));
      if (name === "gap") return /^\p{Script=Latin}/u.test(String(args[0])) ? " " : "";
      return String(args[Number(name)]);
    });
}

/**
 * A message that depends on a count: one form for each plural category of the language (CLDR), after `prefix`;
 * `{{count}}` in it is the count.
 */
export function plural(locale: Locale, forms: Catalog, prefix = ""): (count: number) => string {
  let rules: Intl.PluralRules | undefined;
  let digits: Intl.NumberFormat | undefined;
  return (count) => {
    rules ??= new Intl.PluralRules(locale);
    digits ??= new Intl.NumberFormat(withDigits(locale));
    const form = forms[prefix + rules.select(count)] ?? "";
    return String(form).replace("{{count}}", digits.format(count));
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
