/** Codes of airports from one to the next, each by itself (U+2066, U+2069): the way leads where the language reads. */
export const wayOf = (airports: readonly string[]) =>
  airports.map((code) => `\u2066${code}\u2069`).join(" – ");
