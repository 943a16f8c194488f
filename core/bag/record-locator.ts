/** Brings a record locator as typed into the one spelling that is compared and hashed: plain, upper case, no white space. */
export const foldLocator = (locator: string): string => plainText(locator).toUpperCase().replace(/\s/g, "");

/**
 * Text that a person typed, pasted or spoke, as it was meant: compatibility forms resolved (NFKC), digits of any script as 0 to 9,
 * and nothing that has no shape of its own (marks of direction, soft hyphens, zero-width spaces); without spaces around it.
 */
export const plainText = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Nd}|\p{Cf}|\p{DI}/gu, (character) => {
      // Unicode has the ten digits of a script in a row, from zero on.
      let code = character.codePointAt(0) as number;
      let value = -1;
      while (/\p{Nd}/u.test(String.fromCodePoint(code--))) value++;
      return value < 0 ? "" : `${value % 10}`;
    })
    .trim();
