// @vitest-environment jsdom
import { beforeEach, describe, expect, test } from "vitest";
import { LOCALES, type Locale } from "../../../core/api/locales.ts";
import { PARTS } from "../../i18n/dictionary.ts";
import { en } from "../../i18n/en.ts";
import { percent, seconds, withNumbers } from "../../i18n/forms.ts";
import type { I18n } from "../../i18n/index.tsx";
import { loadWords } from "../../i18n/load.ts";
import { fixedWords, look, newsOf, type Speaker, textsOf, type View } from "./news.ts";

const WITHHELD = en.kiosk.speech.withheld;
/** Of the demo's passengers, and of some who are called like our words or numbers. */
const PERSONAL = [
  "ADA",
  "LOVELACE",
  "ABC123",
  "123456",
  "0117123456",
  "SK 1234",
  "OSL – ARN",
  "Helsinki",
  "EBT-0001",
  "K•••••",
  "x",
  "100",
  en.journey.title("Helsinki"),
  en.kiosk.journey.addBody("1117123456"),
  en.job.nextBagOf("ADA", 2),
  en.bag.drawing("Helsinki", "0117123456"),
  en.kiosk.idle.body(100),
  `${en.kiosk.job.ready} LOVELACE`,
];

const fixedIn = async (locale: Locale) =>
  fixedWords(await loadWords(locale, PARTS), [percent(locale), seconds(locale)]);
const isFixed = await fixedIn("en");

describe("what is spoken in public", () => {
  test("is the dictionary's text, and counts", () => {
    const spoken = [
      en.kiosk.job.ready,
      "العربية",
      en.bag.putLabel(2),
      en.passenger.proof.attemptsLeft(1),
      en.kiosk.idle.body(40),
      percent("en")(40),
      seconds("en")(2),
    ];
    // With the spaces that a screen keeps lines together by, too.
    for (const shown of [spoken, spoken.map(withNumbers)])
      expect(shown.filter((text) => !isFixed(text))).toEqual([]);
  });

  test.each(PERSONAL)("is not %s", (text) => {
    for (const shown of [text, withNumbers(text)]) expect(isFixed(shown)).toBe(false);
  });

  test.each(LOCALES)("is in %s what that language has, without personal data", async (locale) => {
    const words = await loadWords(locale, PARTS);
    const isOurs = await fixedIn(locale);
    expect(isOurs(words.kiosk?.idle.title ?? "")).toBe(true);
    expect([1, 2, 3, 11, 40].every((n) => isOurs(words.kiosk?.idle.body(n) ?? ""))).toBe(true);
    expect(PERSONAL.filter(isOurs)).toEqual([]);
    const leaves = (tree: object): unknown[] =>
      Object.values(tree).flatMap((value) => (typeof value === "object" ? leaves(value) : [value]));
    const sentence = document.createElement("p");
    const missed = leaves(words).filter((text) => {
      sentence.textContent = typeof text === "string" ? text : "";
      return textsOf(sentence).some((read) => !isOurs(read.text));
    });
    expect(missed).toEqual([]);
  });
});

const t = (key: string, ...args: unknown[]) => {
  const found = key.split(".").reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], en);
  return typeof found === "function" ? String(found(...args)) : String(found);
};
const i18n = { t, language: () => ({ tag: "en" }) } as unknown as I18n;
const said = (isPrivate: boolean, seen?: View) => {
  const by: Speaker = { i18n, isPrivate, isFixed };
  return newsOf(look(document) as View, seen, by).sentences.map(({ text }) => text);
};
const focus = (id: string) => document.getElementById(id)?.focus();

beforeEach(() => {
  document.documentElement.lang = "en";
  document.body.innerHTML = `
    <div class="kiosk">
      <div class="kiosk-bar"><span>OSL 12</span><button id="done">Finish</button></div>
      <main>
        <h1>To Helsinki</h1>
        <p aria-hidden="true">20</p>
        <dl><dt>Passenger</dt><dd>Close</dd></dl>
        <svg role="img" aria-label="Bag tag for Helsinki"><text>HEL</text></svg>
        <p id="route">OSL</p><p id="onward">ARN</p>
        <p>${en.kiosk.journey.plateHint}</p><p role="status">${en.kiosk.journey.plateHint}</p>
        <label for="name">Surname</label><input id="name" aria-describedby="hint" value="LOVELACE">
        <p class="field" ><span id="hint">${en.start.surnameMissing}</span></p>
        <input id="pin" type="password" aria-label="PIN" value="246813">
        <button id="ada">ADA LOVELACE</button>
        <details><summary>Steps</summary>Closed</details>
      </main>
    </div>`;
  // As a template does it: a text for each value.
  document.getElementById("route")?.append(" – ", "ARN");
  document.getElementById("onward")?.append(" – ", "HEL");
});

describe("a screen", () => {
  test("is said as it is shown in private", () => {
    expect(said(true)).toEqual([
      "To Helsinki",
      "Passenger",
      "Close",
      "Bag tag for Helsinki",
      "OSL ARN",
      "ARN HEL",
      en.kiosk.journey.plateHint,
    ]);
  });

  test("is said on a loudspeaker without personal data, even where it looks like a word of ours", () => {
    const sentences = said(false);
    expect(sentences.filter((text) => text !== WITHHELD)).toEqual(
      ["Passenger", en.kiosk.journey.plateHint].filter(isFixed),
    );
    expect(sentences).toContain(WITHHELD);
    expect(sentences.join()).not.toMatch(/Helsinki|Close|HEL|LOVELACE/);
  });

  test("is not said again: only what is new, and nothing personal in public", () => {
    const seen = look(document);
    document.querySelector("main")?.append(en.kiosk.notice.unknown, document.createElement("bdi"));
    document.querySelector("bdi")?.append("EBT-0001");
    expect(said(true, seen)).toEqual([en.kiosk.notice.unknown, "EBT-0001"]);
    expect(said(false, seen)).toEqual([en.kiosk.notice.unknown]);
  });
});

describe("a control", () => {
  const control = (id: string, isPrivate: boolean) => {
    const seen = look(document);
    focus(id);
    return said(isPrivate, seen);
  };

  test("is said with its name, kind, value, place and what is wrong with it", () => {
    expect(control("name", true)).toEqual(["Surname, text field, LOVELACE, 2 of 5", en.start.surnameMissing]);
  });

  test("is not read out in public, nor is its label of personal data", () => {
    expect(control("name", false)).toEqual(["Surname, text field, star, 2 of 5", en.start.surnameMissing]);
    expect(control("ada", false)).toEqual([`${WITHHELD}, button, 4 of 5`]);
  });

  test("that shows dots is never read out", () => {
    expect(control("pin", true)).toEqual(["PIN, text field, star, 3 of 5"]);
  });
});
