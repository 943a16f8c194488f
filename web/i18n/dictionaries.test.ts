import { describe, expect, test } from "vitest";
import { LOCALES, type Locale } from "../../core/api/locales.ts";
import { PARTS } from "./dictionary.ts";
import { plural } from "./forms.ts";
import { chooseLocale, LANGUAGES } from "./languages.ts";
import { loadWords } from "./load.ts";

type Message = (...args: unknown[]) => string;
type Tree = { readonly [key: string]: string | Message | Tree };
type Leaves = ReadonlyMap<string, string | Message>;

/** Every text and message by its path. */
function leaves(tree: Tree, path: readonly string[] = []): [string, string | Message][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "object" ? leaves(value, [...path, key]) : [[[...path, key].join("."), value] as const],
  ) as [string, string | Message][];
}

async function wordsOf(locale: Locale): Promise<Leaves> {
  const { page, ...parts } = await loadWords(locale, PARTS);
  return new Map(leaves({ ...page, ...parts } as unknown as Tree));
}

/** Values that no text has by itself, and that choose no rare plural form: 37 bags, 58 bags. */
const ARGUMENTS = [37, 58, 73];
/** Their traces in what a message says. */
const placeholders = (text: string) => ARGUMENTS.filter((value) => text.includes(String(value)));
const said = (value: string | Message) => (typeof value === "string" ? value : value(...ARGUMENTS));

/** The page's name for itself, and what happens to be the same word in Norwegian. */
const SAME_EVERYWHERE = ["app.name", "app.home"];
/** Written by Intl: no sentences. */
const UNITS = ["job.seconds", "job.percent"];
const OTHERS = LOCALES.filter((locale) => locale !== "en");

const english = await wordsOf("en");

describe.each(OTHERS)("the words of %s", async (locale) => {
  const words = await wordsOf(locale);

  test("are those English has, no more and no fewer", () => {
    expect([...words.keys()].sort()).toEqual([...english.keys()].sort());
  });

  test("name in each message everything that English names in it", () => {
    const wrong = [...words].flatMap(([key, value]) => {
      const [here, there] = [placeholders(said(value)), placeholders(said(english.get(key) ?? ""))];
      return here.join() === there.join() ? [] : [`${key}: ${here} instead of ${there}`];
    });
    expect(wrong).toEqual([]);
  });

  test("are translated", () => {
    const kept = [...words].filter(([key, value]) => said(value) === said(english.get(key) ?? ""));
    const long = kept.filter(([key, value]) => !SAME_EVERYWHERE.includes(key) && said(value).length > 12);
    expect(long.map(([key]) => key)).toEqual([]);
  });

  test("are never empty, for any count", () => {
    const counts = [0, 1, 2, 3, 11, 100, 1_000_000];
    const empty = [...words].filter(([, value]) =>
      counts.some((count) => (typeof value === "string" ? value : value(count, count, count)).trim() === ""),
    );
    expect(empty.map(([key]) => key)).toEqual([]);
  });

  test("end a sentence where English ends one", () => {
    const ends = (text: string) => /[.。!?？؟]$/.test(text);
    const wrong = [...words].filter(([key, value]) => {
      const there = said(english.get(key) ?? "");
      return !UNITS.includes(key) && ends(said(value)) !== ends(there);
    });
    expect(wrong.map(([key]) => key)).toEqual([]);
  });
});

/** Marks that an ordinary space would let begin a line. */
test.each([
  ["fr", / [?!;:](?!\S)/],
  ["de", / …/],
  ["nb", / …/],
] as const)("%s keeps its marks on the line of the word before", async (locale, loose) => {
  const texts = [...(await wordsOf(locale))].map(([key, value]) => [key, said(value)] as const);
  expect(texts.filter(([, text]) => /[\u00a0\u202f][?!;:…]/.test(text)).length).toBeGreaterThan(0);
  expect(texts.filter(([, text]) => loose.test(text)).map(([key]) => key)).toEqual([]);
});

test("the plural forms of the dictionaries are those of each language", () => {
  for (const locale of LOCALES) {
    const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
    const counts = [0, 1, 2, 3, 11, 100, 1_000_000];
    // A form that is missing would be empty text.
    const forms = Object.fromEntries(pluralCategories.map((category) => [category, category]));
    const say = plural(locale, forms as never);
    expect(counts.map(say).every((text) => pluralCategories.includes(text as never))).toBe(true);
  }
});

test("Arabic counts bags in six ways", async () => {
  const { page } = await loadWords("ar", []);
  expect([0, 1, 2, 3, 11, 100].map(page.journey.bags)).toEqual([
    "لا حقائب",
    "حقيبة واحدة",
    "حقيبتان",
    "3 حقائب",
    "11 حقيبة",
    "100 حقيبة",
  ]);
});

test.each([
  [["de-AT", "en"], "de"],
  [["pt-BR", "es-419"], "es"],
  [["no"], "nb"],
  [["nn-NO", "de"], "nb"],
  [["zh-TW"], "zh"],
  [["JA"], "ja"],
  [["tlh"], "en"],
  [[], "en"],
] as const)("whoever reads %j gets %s", (wanted, locale) => {
  expect(chooseLocale(wanted)).toBe(locale);
});

test("each language is known by its own name, and only Arabic runs from right to left", () => {
  expect(LANGUAGES.map(({ locale }) => locale)).toEqual(LOCALES);
  for (const { locale, name, tag } of LANGUAGES) {
    const own = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? "";
    expect(own.toLowerCase(), locale).toBe(name.toLowerCase());
  }
  expect(LANGUAGES.filter(({ dir }) => dir === "rtl").map(({ locale }) => locale)).toEqual(["ar"]);
});
