/**
 * A record locator as people may type it, in the one spelling that is compared and hashed: compatibility forms
 * resolved (full-width letters), upper case, without white space.
 */
export function foldLocator(locator: string): string {
  return locator.normalize("NFKC").toUpperCase().replace(/\s+/gu, "");
}
