/**
 * Brings a record locator as typed into the one spelling that is compared and hashed: compatibility forms
 * resolved (full-width letters), upper case, no white space.
 */
export function foldLocator(locator: string): string {
  return locator.normalize("NFKC").toUpperCase().replace(/\s+/gu, "");
}
