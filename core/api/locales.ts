/** Languages that the page speaks and the configuration lists, as BCP 47 tags. The first is the fallback. */
export const LOCALES = ["en", "de", "fr", "es", "nb", "ar", "zh", "ja"] as const;
export type Locale = (typeof LOCALES)[number];
