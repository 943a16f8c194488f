import { createMemo } from "solid-js";
import type { Locale } from "../../core/api/locales.ts";
import { percent, seconds, withDigits } from "./forms.ts";
import { LANGUAGES } from "./languages.ts";

/** Everything that differs from language to language, by Intl. */
export interface Formats {
  /** A calendar day (`YYYY-MM-DD`) as people say it: "Sun 22 Nov". */
  readonly day: (date: string) => string;
  /** A moment in this device's time: "21 Nov, 14:05". */
  readonly dateTime: (moment: Date | number) => string;
  /** "A, B and C". */
  readonly list: (items: readonly string[]) => string;
  readonly number: (value: number) => string;
  /** 87 → "87%". */
  readonly percent: (value: number) => string;
  readonly seconds: (value: number) => string;
}

type Text = (text: string) => string;

/** Formats that follow the language; `mark` is the change that the pseudo-locale makes to every text. */
export function createFormats(locale: () => Locale, mark: Text = (text) => text): Formats {
  const tag = createMemo(() => withDigits(regional(locale())));
  const days = kept(
    tag,
    (at) =>
      new Intl.DateTimeFormat(at, { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }),
  );
  const moments = kept(
    tag,
    (at) =>
      new Intl.DateTimeFormat(at, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" }),
  );
  const lists = kept(tag, (at) => new Intl.ListFormat(at));
  const numbers = kept(tag, (at) => new Intl.NumberFormat(at));
  return {
    day: (date) => mark(days().format(new Date(`${date}T00:00:00Z`))),
    dateTime: (moment) => mark(moments().format(moment)),
    list: (items) => mark(lists().format(items)),
    number: (value) => mark(numbers().format(value)),
    percent: (value) => mark(percent(locale())(value)),
    seconds: (value) => mark(seconds(locale())(value)),
  };
}

/** Made at its first use: the browser takes milliseconds for its first, which the first drawing need not wait for. */
function kept<Format>(tag: () => string, make: (tag: string) => Format): () => Format {
  let last: { readonly tag: string; readonly format: Format } | undefined;
  return () => {
    const now = tag();
    if (last?.tag !== now) last = { tag: now, format: make(now) };
    return last.format;
  };
}

/** The person's own variant of the language, for the order of day and month. */
function regional(locale: Locale): string {
  const tag = LANGUAGES.find((language) => language.locale === locale)?.tag ?? locale;
  return navigator.languages.find((language) => language.startsWith(`${locale}-`)) ?? tag;
}
