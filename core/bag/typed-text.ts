/**
 * What somebody typed, pasted or spoke, as it was meant: compatibility forms resolved (NFKC), digits of any script as 0 to 9,
 * and nothing that has no shape of its own (marks of direction, soft hyphens, zero-width spaces).
 */
export function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, digit)
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
}

/** Unicode has the ten digits of a script in a row, from zero on. */
function digit(character: string): string {
  const code = character.codePointAt(0) as number;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
