/** A tag's name stands on one line: behind its hyphen a browser would go on to the next (U+2060, word joiner). */
export const unbroken = <Value>(value: Value): Value | string =>
  typeof value === "string" ? value.replaceAll("EBT-", "EBT-\u2060") : value;

/** A number stands beside the word that it counts or names, "bag 1": no line ends between them (U+00A0). */
export const withNumbers = (text: string): string => text.replace(/ (?=\d)/g, "\u00a0");
