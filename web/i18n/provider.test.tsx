import { cleanup, render, screen } from "@solidjs/testing-library";
import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { errors } from "./en-errors.ts";
import { page } from "./en-page.ts";
import { createFormats, type I18n, I18nProvider, useI18n, Words } from "./index.tsx";
import { preferredLocale } from "./languages.ts";
import { loadWords } from "./load.ts";
import { accented, pseudo } from "./pseudo.ts";

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The words as a screen has them, with one line of each kind on it. */
function spoken(): I18n {
  let i18n: I18n | undefined;
  const Line = () => {
    i18n = useI18n();
    return (
      <>
        <p data-testid="title">{i18n.t("start.title")}</p>
        <p data-testid="error">{i18n.t("errors.network.what")}</p>
        <Words part="kiosk">
          <p data-testid="kiosk">there</p>
        </Words>
      </>
    );
  };
  render(() => (
    <I18nProvider>
      <Line />
    </I18nProvider>
  ));
  if (i18n === undefined) throw new Error("nothing rendered");
  return i18n;
}

const text = (name: string) => screen.getByTestId(name).textContent;

test("an error whose sentences have not loaded yet is shown as one; then they come by themselves", async () => {
  spoken();
  expect(text("error")).toBe(page.error.title);
  await vi.waitFor(() => expect(text("error")).toBe(errors.network.what), { timeout: 60_000 });
});

test("a screen of a part waits for its words", async () => {
  spoken();
  expect(screen.queryByTestId("kiosk")).toBeNull();
  await screen.findByTestId("kiosk");
});

test("a language changes with everything that is on the screen, is in lang and dir, and is remembered", async () => {
  const { setLocale } = spoken();
  await vi.waitFor(() => expect(text("error")).toBe(errors.network.what), { timeout: 60_000 });
  await setLocale("de");
  expect(text("error")).toBe((await loadWords("de", ["errors"])).errors?.network.what);
  await setLocale("ar");
  expect(text("title")).toBe((await loadWords("ar", [])).page.start.title);
  expect([document.documentElement.lang, document.documentElement.dir]).toEqual(["ar", "rtl"]);
  expect(preferredLocale()).toBe("ar");
});

test("of two languages in a row, the second wins", async () => {
  const { setLocale, locale } = spoken();
  await Promise.all([setLocale("fr"), setLocale("ja")]);
  expect(locale()).toBe("ja");
});

test("a kiosk that is wiped speaks its own language again and remembers nothing", async () => {
  const { setLocale, forgetLocale, locale } = spoken();
  await setLocale("zh");
  await forgetLocale();
  expect([locale(), localStorage.length]).toEqual(["en", 0]);
});

test("what goes into an Arabic sentence is isolated; numbers are not", async () => {
  const { setLocale, t } = spoken();
  expect(t("bag.onTag", "EBT-0001")).toBe("On tag EBT-\u20600001");
  await setLocale("ar");
  expect(t("bag.onTag", "EBT-0001")).toContain("\u2068EBT-\u20600001\u2069");
  expect(t("journey.bags", 3)).toBe("3 حقائب");
});

test.each([
  ["?lang=fr", "de", ["ja"], "fr"],
  ["?lang=xx", "de", ["ja"], "de"],
  ["", "de", ["ja"], "de"],
  ["", "klingon", ["tlh", "nn-NO"], "nb"],
  ["", null, [], "en"],
] as const)(
  "address %j, remembered %j and languages %j make %s",
  (query, remembered, languages, expected) => {
    history.replaceState(null, "", `/${query}`);
    if (remembered !== null) localStorage.setItem("taglatch.language", remembered);
    vi.stubGlobal("navigator", { languages });
    expect(preferredLocale()).toBe(expected);
  },
);

test("dates, lists and numbers are written as the language writes them, in digits 0 to 9", async () => {
  const { setLocale, day, list, percent, seconds } = spoken();
  await setLocale("de");
  expect(day("2026-11-22")).toBe("So., 22. Nov.");
  expect(list(["A", "B", "C"])).toBe("A, B und C");
  expect([percent(87), seconds(1.4)].map((each) => each.replace(/\s/g, " "))).toEqual(["87 %", "1,4 Sek."]);
  await setLocale("ar");
  expect(`${day("2026-11-22")}${seconds(42)}${percent(7)}`).not.toMatch(/[٠-٩]/);
});

test("the pseudo-locale marks and stretches words, and leaves what they are about alone", () => {
  expect(accented("Put on tag")).toBe("[Ƥúŧ óñ ŧáĝ····]");
  const words = pseudo.words({ page }).page as typeof page;
  expect(words.bag.onTag("EBT-0001")).toMatch(/^\[.*EBT-0001.*\]$/);
  expect(words.journey.bags(2)).toContain("2");
});

function formats() {
  vi.stubGlobal("navigator", { languages: ["en-GB"] });
  return createRoot(() => createFormats(() => "en"));
}

test.each([
  ["winter, late in the evening", new Date(2026, 10, 21, 23, 30), "21 Nov, 23:30"],
  ["winter, after midnight", new Date(2026, 10, 22, 0, 30), "22 Nov, 0:30"],
  ["summer, late in the evening", new Date(2026, 6, 21, 23, 30), "21 Jul, 23:30"],
  ["summer, after midnight", new Date(2026, 6, 22, 0, 30), "22 Jul, 0:30"],
])("a moment has the day and time of this device: in %s", (_, moment, text) => {
  const { dateTime } = formats();
  const said = [dateTime(moment), dateTime(moment.getTime())];
  // Whether an hour has one digit or two differs by the platform's version.
  expect(said.map((each) => each.replace(", 00", ", 0"))).toEqual([text, text]);
});

test.each([
  ["2026-11-22", "Sun 22 Nov"],
  ["2026-03-29", "Sun 29 Mar"],
  ["2027-01-01", "Fri 1 Jan"],
])("the day %s is the airport's, wherever this device is", (date, text) => {
  expect(formats().day(date).replace(",", "")).toBe(text);
});
