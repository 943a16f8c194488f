/** A tag's name stands on one line: behind its hyphen a browser would go on to the next (U+2060, word joiner). */
export const unbroken = <Value>(value: Value): Value | string =>
  typeof value === "string" ? value.replaceAll("EBT-", "EBT-\u2060") : value;
