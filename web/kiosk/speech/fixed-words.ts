import type { Words } from "../../i18n/dictionary.ts";
import { LANGUAGES } from "../../i18n/languages.ts";
import { withNumbers } from "../../i18n/unbroken.ts";

/** Greater numbers may be somebody's: of a bag, a flight, a booking. Counts, seconds and attempts stay below. */
const LARGEST_COUNT = 99;

/**
 * What a whole hall may hear: texts of the dictionary, which were written before anybody came, without a value or with a small
 * count. Nothing is marked as personal, because a mark can be forgotten; whatever else a screen shows, now or one day, is
 * somebody's.
 */
export function fixedWords(words: Words): (text: string) => boolean {
  const fixed = new Set(LANGUAGES.map(({ name }) => name));
  const counting: ((count: number) => string)[] = [];
  const collect = (tree: object) => {
    for (const value of Object.values(tree)) {
      if (typeof value === "string") fixed.add(withNumbers(value));
      else if (typeof value !== "function") collect(value);
      else if (value.length === 1) counting.push(value);
    }
  };
  collect(words);
  // As screens show them, where no line ends before a number.
  return (text) => {
    const seen = withNumbers(text);
    return (
      fixed.has(seen) ||
      countsIn(seen).some((count) => counting.some((say) => withNumbers(say(count)) === seen))
    );
  };
}

/** The numbers that a message may have been given to say this; some languages have words for the first. */
const countsIn = (text: string) =>
  [0, 1, 2, ...(text.match(/\d+/g) ?? []).map(Number)].filter((count) => count <= LARGEST_COUNT);
