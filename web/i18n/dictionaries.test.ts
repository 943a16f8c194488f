// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseLocale, FALLBACK, LOCALES, type Locale } from "../../core/api/locales.ts";
import { PARTS } from "./dictionary.ts";
import { errors } from "./en-errors.ts";
import { LANGUAGES } from "./languages.ts";
import { loadWords } from "./load.ts";

type Message = (...args: unknown[]) => string;
type Tree = { readonly [key: string]: string | Message | Tree };
type Leaves = ReadonlyMap<string, string | Message>;

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
const OTHERS = LOCALES.filter((locale) => locale !== FALLBACK);

const english = await wordsOf(FALLBACK);

test("no language lacks a word that English has, or has one more", async () => {
  const wrong = await Promise.all(
    OTHERS.map(async (locale) => {
      const words = await wordsOf(locale);
      const missing = [...english.keys()].filter((key) => !words.has(key));
      const surplus = [...words.keys()].filter((key) => !english.has(key));
      return [
        ...missing.map((key) => `${locale} lacks ${key}`),
        ...surplus.map((key) => `${locale} has ${key}`),
      ];
    }),
  );
  expect(wrong.flat()).toEqual([]);
});

describe.each(OTHERS)("the words of %s", async (locale) => {
  const words = await wordsOf(locale);

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

  test("are never empty and leave no placeholder open, for any count", () => {
    const counts = [0, 1, 2, 3, 11, 100, 1_000_000];
    const isWrong = (text: string) => text.trim() === "" || /[{}]|undefined/.test(text);
    const wrong = [...words].filter(([, value]) =>
      counts.some((count) => isWrong(typeof value === "string" ? value : value(count, count, count))),
    );
    expect(wrong.map(([key]) => key)).toEqual([]);
  });

  test("end a sentence where English ends one", () => {
    const ends = (text: string) => /[.。!?？؟]$/.test(text);
    const wrong = [...words].filter(([key, value]) => {
      const there = said(english.get(key) ?? "");
      return ends(said(value)) !== ends(there);
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

test("Arabic counts bags in six ways", async () => {
  const { page: arabic } = await loadWords("ar", []);
  expect([0, 1, 2, 3, 11, 100].map(arabic.journey.bags)).toEqual([
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
] as const)("a reader of %j gets %s", (accepted, locale) => {
  expect(chooseLocale(accepted)).toBe(locale);
});

/** Beyond TypeScript's own library. */
type WrittenLocale = Intl.Locale & { getTextInfo(): { readonly direction: "ltr" | "rtl" } };

const withoutScripts = new DOMParser().parseFromString(
  readFileSync(join(import.meta.dirname, "../index.html"), "utf8"),
  "text/html",
);

describe.each(LANGUAGES)("the language $tag", ({ name, tag, dir }) => {
  test("is known by its own name, and runs as it is written", () => {
    const own = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? "";
    expect(name.toLowerCase()).toBe(own.toLowerCase());
    expect(dir).toBe((new Intl.Locale(tag) as WrittenLocale).getTextInfo().direction);
  });

  test("says where scripts do not run that the page needs them", () => {
    const lines = [...withoutScripts.querySelectorAll("noscript p")];
    const own = lines.filter((line) => line.closest(`[lang]`)?.getAttribute("lang") === tag);
    expect(own.map((line) => line.closest("[dir]")?.getAttribute("dir"))).toEqual([dir]);
  });
});

/** Words of ours that a passenger has no reason to know. */
const JARGON =
  /\b(GATT|BLE|nonce|token|certificate|handshake|EDHOC|HTTP|JSON|payload|record error|exception|null|timeout)\b/i;

test.each(Object.entries(errors))(
  "%s is explained in whole sentences of plain words",
  (_code, { what, next }) => {
    for (const sentence of [what, next]) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(sentence).not.toMatch(JARGON);
      expect(sentence.length).toBeLessThanOrEqual(110);
    }
  },
);

test("only a Latin city has spaces beside it", async () => {
  const { page: japanese } = await loadWords("ja", []);
  const { page: chinese } = await loadWords("zh", []);
  expect(["Oslo", "オスロ"].map(japanese.journey.title)).toEqual(["Oslo 行き", "オスロ行き"]);
  expect(["Oslo", "奥斯陆"].map(chinese.journey.title)).toEqual(["前往 Oslo", "前往奥斯陆"]);
  expect(chinese.bag.drawing("奥斯陆", "0117")).toBe("前往奥斯陆的行李牌，行李号 0117");
});
