import { plainText } from "./typed-text.ts";

/** Brings a record locator as typed into the one spelling that is compared and hashed: plain, upper case, no white space. */
export function foldLocator(locator: string): string {
  return plainText(locator).toUpperCase().replace(/\s+/gu, "");
}
