import type { Flatten, Translator } from "@solid-primitives/i18n";
import {
  createContext,
  createMemo,
  createRenderEffect,
  createSignal,
  type JSX,
  Show,
  useContext,
} from "solid-js";
import { FALLBACK, type Locale } from "../../core/api/locales.ts";
import {
  type Words as Dictionaries,
  type Dictionary,
  type LoadedLanguage,
  PARTS,
  type Part,
} from "./dictionary.ts";
import { percent, seconds, unbroken, withDigits, withNumbers } from "./forms.ts";
import { forgetRemembered, LANGUAGES, type Language, ownLocale, rememberLocale } from "./languages.ts";
import { ENGLISH, loadPart, loadWords } from "./load.ts";

export interface I18n extends Formats {
  readonly t: Translator<Flatten<Dictionary>>;
  readonly locale: () => Locale;
  readonly language: () => Language;
  /**
   * Loads the words, then changes language at once and remembers it on this device. Rejects if they cannot
   * load.
   */
  readonly setLocale: (locale: Locale) => Promise<void>;
  /**
   * Returns to the device's own language and remembers nothing: for a kiosk that waits for the next person.
   */
  readonly forgetLocale: () => Promise<void>;
  /** Whether a part is loaded; asking loads it. */
  readonly ready: (part: Part) => boolean;
  /** A browser takes tens of milliseconds for its first date and its first plural: spends them before a journey is drawn. */
  readonly warmFormats: () => void;
}

const Context = createContext<I18n>();

interface I18nProviderProps {
  /** English unless the page has loaded another language before it drew anything. */
  readonly initial?: LoadedLanguage | undefined;
  readonly children: JSX.Element;
}

/** Words, numbers and dates for everything below it; keeps `lang` and `dir` of the document in step. */
export function I18nProvider(props: I18nProviderProps): JSX.Element {
  return <Context.Provider value={createI18n(props.initial)}>{props.children}</Context.Provider>;
}

function createI18n(initial: LoadedLanguage = { locale: FALLBACK, words: ENGLISH }): I18n {
  const { pseudo } = initial;
  const { loaded, ready, change } = createLanguage(initial);
  const locale = () => loaded().locale;
  const language = createMemo(() => languageOf(locale()));
  const translate = createTranslate(() => (pseudo ? pseudo.words(loaded().words) : loaded().words));

  const t = (key: string, ...args: unknown[]): string => {
    const part = PARTS.find((name) => key.startsWith(`${name}.`));
    if (part !== undefined && !ready(part)) return part === "errors" ? unexplained(key, translate) : "";
    const values = args.map(unbroken);
    return withNumbers(translate(key, ...(language().dir === "rtl" ? values.map(isolated) : values)));
  };

  createRenderEffect(() => {
    const root = document.documentElement;
    root.lang = pseudo?.tag ?? language().tag;
    root.dir = language().dir;
    document.querySelector("meta[name=description]")?.setAttribute("content", translate("app.description"));
  });

  const formats = createFormats(locale, pseudo?.text);
  return {
    t: t as I18n["t"],
    locale,
    language,
    setLocale: async (next) => {
      await change(next);
      rememberLocale(next);
    },
    forgetLocale: async () => {
      forgetRemembered();
      await change(ownLocale());
    },
    ready,
    warmFormats: () => {
      formats.day("2000-01-01");
      t("journey.bags", 1);
    },
    ...formats,
  };
}

/**
 * The current language with those of its words that have loaded: parts load when they are asked for, a
 * language as a whole.
 */
function createLanguage(initial: LoadedLanguage) {
  const [loaded, setLoaded] = createSignal(initial);
  const asked = new Set<Part>();

  const load = async (part: Part) => {
    const at = loaded().locale;
    const words = await loadPart(at, part);
    setLoaded((now) => (now.locale === at ? { ...now, words: { ...now.words, [part]: words } } : now));
  };
  const ready = (part: Part) => {
    const there = loaded().words[part] !== undefined;
    if (!there && !asked.has(part)) {
      asked.add(part);
      // The failure is not remembered: the next use tries again.
      void load(part).catch(() => asked.delete(part));
    }
    return there;
  };

  let requested = initial.locale;
  const change = async (next: Locale) => {
    requested = next;
    if (next === loaded().locale) return;
    const words = await loadWords(
      next,
      PARTS.filter((part) => asked.has(part)),
    );
    // Of two languages in a row, the second wins.
    if (requested === next) setLoaded({ locale: next, words });
  };
  return { loaded, ready, change };
}

type Translate = (key: string, ...args: unknown[]) => string;

/** Words by their names, names within names. */
interface Branch {
  readonly [name: string]: Branch | string | ((...args: unknown[]) => string);
}

function createTranslate(words: () => Dictionaries): Translate {
  const dictionary = createMemo(() => {
    const { page, ...parts } = words();
    return { ...page, ...parts } as Branch;
  });
  // Looked up name by name: a flat copy of all words would be made before the first drawing.
  return (key, ...args) => {
    let at: Branch[string] | undefined = dictionary();
    for (const name of key.split(".")) at = typeof at === "object" ? at[name] : undefined;
    // The tests of the dictionaries name what a language lacks; until it is added, its key is better than an
    // empty button.
    if (at === undefined || typeof at === "object") return key;
    return typeof at === "string" ? at : at(...args);
  };
}

export function useI18n(): I18n {
  const value = useContext(Context);
  if (!value) throw new Error("no I18nProvider");
  return value;
}

/** Shows its children once the words of `part` have loaded: wraps a screen that uses only that part. */
export function Words(props: { readonly part: Part; readonly children: JSX.Element }): JSX.Element {
  const { ready } = useI18n();
  return <Show when={ready(props.part)}>{props.children}</Show>;
}

function languageOf(locale: Locale): Language {
  return LANGUAGES.find((language) => language.locale === locale) as Language;
}

/**
 * While the sentences for an error are still loading, this says that there is one, and what always may help.
 */
function unexplained(key: string, translate: Translate): string {
  return translate(key.endsWith(".next") ? "error.next" : "error.title");
}

/**
 * Isolates names, codes and plates in a sentence that runs the other way (Unicode UAX 9: first strong isolate
 * … pop).
 */
function isolated(value: unknown): unknown {
  return typeof value === "string" ? `\u2068${value}\u2069` : value;
}

/** Everything that differs from language to language, by Intl. */
interface Formats {
  /** A calendar day (`YYYY-MM-DD`) as people say it: "Sun 22 Nov". */
  readonly day: (date: string) => string;
  /** A moment in this device's time: "21 Nov, 14:05". */
  readonly dateTime: (moment: Date | number) => string;
  /** "A, B and C". */
  readonly list: (items: readonly string[]) => string;
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
  return {
    day: (date) => mark(days().format(new Date(`${date}T00:00:00Z`))),
    dateTime: (moment) => mark(moments().format(moment)),
    list: (items) => mark(lists().format(items)),
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
  return navigator.languages.find((language) => language.startsWith(`${locale}-`)) ?? languageOf(locale).tag;
}
