import { plainText } from "./typed-text.ts";

/** Brings a record locator as typed into the one spelling that is compared and hashed: plain, upper case, no white space. */
export const foldLocator = (locator: string): string => plainText(locator).toUpperCase().replace(/\s/g, "");
