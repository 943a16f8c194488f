import { type Flatten, flatten, resolveTemplate, type Translator, translator } from "@solid-primitives/i18n";
import { createContext, createMemo, createRenderEffect, createSignal, type JSX, useContext } from "solid-js";
import { type Dictionary, en } from "./en.ts";

export type Locale = "en";

/** Languages beside English load when chosen. */
const DICTIONARIES: Record<Locale, Dictionary> = { en };
const RIGHT_TO_LEFT: readonly string[] = ["ar", "he", "fa", "ur"];

export interface I18n {
  readonly t: Translator<Flatten<Dictionary>>;
  readonly locale: () => Locale;
  readonly setLocale: (locale: Locale) => void;
  /** A calendar day (`YYYY-MM-DD`) as people say it: "Sun 22 Nov". */
  readonly day: (date: string) => string;
}

const Context = createContext<I18n>();

/** Words and dates for everything below it; keeps `lang` and `dir` of the document in step. */
export function I18nProvider(props: { readonly children: JSX.Element }): JSX.Element {
  const [locale, setLocale] = createSignal<Locale>("en");
  const dictionary = createMemo(() => flatten(DICTIONARIES[locale()]));
  const t = translator(dictionary, resolveTemplate) as Translator<Flatten<Dictionary>>;
  createRenderEffect(() => {
    document.documentElement.lang = locale();
    document.documentElement.dir = RIGHT_TO_LEFT.includes(locale()) ? "rtl" : "ltr";
  });
  const dayFormat = createMemo(
    () =>
      new Intl.DateTimeFormat(regional(locale()), {
        weekday: "short",
        day: "numeric",
        month: "short",
        timeZone: "UTC",
      }),
  );
  const day = (date: string) => dayFormat().format(new Date(`${date}T00:00:00Z`));
  return <Context.Provider value={{ t, locale, setLocale, day }}>{props.children}</Context.Provider>;
}

export function useI18n(): I18n {
  const value = useContext(Context);
  if (!value) throw new Error("useI18n needs an I18nProvider above it");
  return value;
}

/** The person's own variant of the language, for the order of day and month. */
function regional(locale: Locale): string {
  return navigator.languages.find((language) => language.startsWith(`${locale}-`)) ?? locale;
}
