// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LOCALES, type Locale } from "../../core/api/locales.ts";
import { isField, keyboardRows, rootOf, stepOf, stopAfter, stopsIn } from "./keys.ts";
import {
  createWedge,
  DOUBTFUL_GAP,
  MEMORY,
  next,
  RESTING,
  SCAN_GAP,
  TYPING_GAP,
  timeoutOf,
  type WedgeKey,
  type WedgeStep,
} from "./wedge.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";
const PLATE = "0117123456";

/**
 * Runs keys through the wedge as a page does: what it did with each, what is in the field with the focus, and what was taken
 * for a scan. `isLate`: the keys have their pauses in them; otherwise there is one wherever nothing comes in time.
 */
function run(keys: readonly WedgeKey[], isLate = false) {
  const [steps, scans]: [WedgeStep[], string[]] = [[], []];
  let wedge = RESTING;
  let [field, typed] = ["", ""];
  const take = (key: WedgeKey) => {
    const step = next(wedge, key);
    wedge = step.wedge;
    steps.push(step);
    if (step.takeBack) field = field.slice(0, field.length - typed.length);
    if (step.typed !== undefined) {
      typed = step.typed;
      field += typed;
    }
    if (step.scanned !== undefined) scans.push(step.scanned);
  };
  for (const key of keys) {
    const at = "at" in key && !isLate ? key.at : undefined;
    if (at !== undefined && wedge.held !== "" && at - wedge.at > timeoutOf(wedge)) take({ type: "pause" });
    take(key);
  }
  if (!isLate && wedge.held !== "") take({ type: "pause" });
  return { steps, field, scans, wedge };
}

const characters = (text: string, gap: number, from = 0): WedgeKey[] =>
  [...text].map((character, index) => ({ type: "character", text: character, at: from + index * gap }));

const ended = (keys: WedgeKey[]): WedgeKey[] => {
  const last = keys.at(-1);
  return [...keys, { type: "end", at: (last && "at" in last ? last.at : 0) + 1 }];
};

describe("a scanner that types", () => {
  test.each([1, 8, TYPING_GAP])("is recognized by its speed: %d ms between characters", (gap) => {
    for (const text of [PASS, PLATE]) {
      const { scans, field, steps } = run(ended(characters(text, gap)));
      expect(scans).toEqual([text]);
      expect(field).toBe("");
      expect(steps.every(({ swallow }) => swallow)).toBe(true);
    }
  });

  test("may end by falling silent", () => {
    expect(run(characters(PLATE, 5)).scans).toEqual([PLATE]);
  });

  test.each([
    [4, DOUBTFUL_GAP],
    [20, SCAN_GAP],
  ])("may stumble after %d characters for %d ms", (length, gap) => {
    const [first, second] = [PASS.slice(0, length), PASS.slice(length)];
    const keys = [...characters(first, 5), ...characters(second, 5, (length - 1) * 5 + gap)];
    expect(run(ended(keys)).scans).toEqual([PASS]);
  });

  test("gives nothing away when a hand cuts it off", () => {
    const { scans, field } = run([...characters(PASS.slice(0, 40), 5), { type: "other" }]);
    expect({ scans, field }).toEqual({ scans: [], field: "" });
  });

  test("keeps its spaces from pressing a button", () => {
    const spaces = run(ended(characters(PASS, 5))).steps.filter((_, index) => PASS[index] === " ");
    expect(spaces.length).toBeGreaterThan(8);
    expect(spaces.every(({ swallow }) => swallow)).toBe(true);
  });
});

describe("a person who types", () => {
  test.each([TYPING_GAP + 1, 120, 400])("gets every character back, %d ms apart", (gap) => {
    const { scans, field } = run(ended(characters("LOVELACE-BYRON", gap)));
    expect({ scans, field }).toEqual({ scans: [], field: "LOVELACE-BYRON" });
  });

  test("may strike two keys at once", () => {
    const { field } = run(ended([...characters("AB", 3), ...characters("C", 1, 200)]));
    expect(field).toBe("ABC");
  });

  test("finds what was typed in place before Enter does its work", () => {
    const keys = ended(characters("ABC123", 10));
    const last = run(keys).steps.at(-1);
    expect(last).toMatchObject({ typed: "ABC123", swallow: false });
  });

  test("presses a button with the space bar", () => {
    expect(next(RESTING, { type: "character", text: " ", at: 0 })).toEqual({
      wedge: RESTING,
      swallow: false,
    });
  });

  test("gets what was typed before an arrow or a backspace", () => {
    const { steps, field } = run([...characters("A", 1), { type: "other" }]);
    expect(field).toBe("A");
    expect(steps.at(-1)?.swallow).toBe(false);
  });
});

const PAUSE: WedgeKey = { type: "pause" };
const arrive = (keys: readonly WedgeKey[]) => run(keys, true);

describe("keys that come late", () => {
  test("are one scan all the same, when each seems to come after a pause", () => {
    const keys = characters(PASS, 4).flatMap((key) => [key, PAUSE]);
    const { field, scans } = arrive([...keys, { type: "end", at: PASS.length * 4 }]);
    expect(field).toBe("");
    expect(scans.at(-1)).toBe(PASS);
  });

  test.each([1, 4, 9])("are one scan when they stop after the first %d", (length) => {
    const [first, second] = [PASS.slice(0, length), PASS.slice(length)];
    const keys = [...characters(first, 4), PAUSE, ...characters(second, 4, length * 4)];
    const { field, scans } = arrive(ended(keys));
    expect({ field, scans }).toEqual({ field: "", scans: [PASS] });
  });

  test("make the beginning of a scan whole when it was taken for all of it", () => {
    const keys = [...characters(PASS.slice(0, 30), 4), PAUSE, ...characters(PASS.slice(30), 4, 120)];
    expect(arrive(ended(keys)).scans).toEqual([PASS.slice(0, 30), PASS]);
  });
});

describe("keys that come late, beside a scan", () => {
  test("end a scan that was taken already without pressing anything", () => {
    const late = [...characters(PLATE, 4), PAUSE, { type: "end", at: 41 } as const];
    expect(arrive(late).scans).toEqual([PLATE]);
    const { wedge } = arrive(late.slice(0, -1));
    expect(next(wedge, { type: "end", at: 41 }).swallow).toBe(true);
    expect(next(wedge, { type: "end", at: 41 + SCAN_GAP }).swallow).toBe(false);
  });

  test.each([TYPING_GAP + 1, 400])("are a person's when struck %d ms apart", (gap) => {
    const keys = characters("LOVELACE", gap).flatMap((key) => [key, PAUSE]);
    expect(arrive(ended(keys))).toMatchObject({ field: "LOVELACE", scans: [] });
  });

  test("of two fingers at once are typed once", () => {
    const keys = characters("AB", 3).flatMap((key) => [key, PAUSE]);
    expect(arrive(keys).field).toBe("AB");
  });

  test("are waited for as long as memory lasts, and then forgotten", () => {
    const { wedge } = arrive([...characters("AB", 3), PAUSE]);
    expect(timeoutOf(wedge)).toBe(MEMORY);
    expect(next(wedge, PAUSE)).toEqual({ wedge: RESTING, swallow: false });
  });
});

describe("a page with the wedge", () => {
  /** Milliseconds between two characters of a scanner. */
  const PACE = 4;

  let stop: () => void;
  let scans: string[];
  let field: HTMLInputElement;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    scans = [];
    field = document.body.appendChild(document.createElement("input"));
    stop = createRoot((dispose) => {
      createWedge((text) => scans.push(text));
      return dispose;
    });
    await Promise.resolve();
  });
  afterEach(() => {
    stop();
    field.remove();
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A key struck at `at`, and delivered now: whether the page has left it to the browser. */
  function press(key: string, at: number): boolean {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: at });
    return (document.activeElement ?? document.body).dispatchEvent(event);
  }

  /** Keys struck at a scanner's pace, each delivered `delay` after the one before. */
  function deliver(text: string, delay: number): void {
    // Long ago: a page this late knows it.
    const began = performance.now() - 1_000;
    [...text].forEach((key, index) => {
      expect(press(key, began + index * PACE)).toBe(false);
      vi.advanceTimersByTime(delay);
    });
    expect(press("Enter", began + text.length * PACE)).toBe(false);
  }

  test("a scan delivered a character every second is a scan, where there is no field", () => {
    deliver(PASS, 1_000);
    expect(scans.at(-1)).toBe(PASS);
  });

  test("a scan delivered a character every two seconds leaves the field with the focus as it was", () => {
    field.value = "ABC";
    field.maxLength = 6;
    field.focus();
    field.setSelectionRange(1, 2);
    const seen = new Set<string>();
    field.addEventListener("input", () => seen.add(field.value));
    deliver(PASS, 2_000);
    // Each pause was taken for the end of typing, until the next key.
    expect(seen).toContain("AM1LOC");
    expect(field.value).toBe("ABC");
    expect(scans.at(-1)).toBe(PASS);
  });

  test("what another edit has changed since is not taken back", () => {
    field.focus();
    const began = performance.now() - 1_000;
    press("A", began);
    vi.advanceTimersByTime(2_000);
    field.value = "Another";
    press("B", began + PACE);
    expect(field.value).toBe("Another");
  });

  test("what a page in time knows to be typing is in the field after a short pause", () => {
    vi.spyOn(performance, "now").mockReturnValue(1_000);
    field.focus();
    press("A", 1_000);
    vi.advanceTimersByTime(TYPING_GAP);
    expect(field.value).toBe("A");
  });
});

beforeEach(() => {
  document.body.innerHTML = `
    <div class="kiosk">
      <header><button id="finish">Finish</button></header>
      <main>
        <h1 id="title" tabindex="-1">Title</h1>
        <input id="name"><button disabled>No</button><button tabindex="-1">Q</button><input id="choice" type="radio">
        <details><summary id="more">More</summary></details>
        <a id="link" href="/">Link</a>
      </main>
    </div>
    <aside><button>A virtual tag</button></aside>`;
});

const by = (id: string) => document.getElementById(id) as HTMLElement;
const stops = () => stopsIn(rootOf(document) as HTMLElement);

describe("the stops of a screen", () => {
  test("are what can be chosen, in the order of reading, once each", () => {
    expect(stops().map(({ id }) => id)).toEqual(["finish", "name", "choice", "more", "link"]);
  });

  test("are those of the dialog alone while one is open", () => {
    by("title").insertAdjacentHTML("afterend", `<dialog open><button id="yes">Yes</button></dialog>`);
    expect(stops().map(({ id }) => id)).toEqual(["yes"]);
  });

  test("follow each other in a ring, so that none is a trap", () => {
    const seen = ["finish"];
    for (let at = by("finish"); seen.length < 7; seen.push(at.id)) at = stopAfter(stops(), at, 1) ?? at;
    expect(seen).toEqual(["finish", "name", "choice", "more", "link", "finish", "name"]);
    expect(stopAfter(stops(), by("finish"), -1)?.id).toBe("link");
  });

  test("begin beside a heading, or, with the focus nowhere, at an end", () => {
    expect(stopAfter(stops(), by("title"), 1)?.id).toBe("name");
    expect(stopAfter(stops(), by("title"), -1)?.id).toBe("finish");
    expect(stopAfter(stops(), document.body, 1)?.id).toBe("finish");
    expect(stopAfter(stops(), document.body, -1)?.id).toBe("link");
    expect(stopAfter([], document.body, 1)).toBeUndefined();
  });
});

test.each([
  ["ArrowDown", "ltr", 1],
  ["ArrowUp", "ltr", -1],
  ["ArrowRight", "ltr", 1],
  ["ArrowLeft", "ltr", -1],
  ["ArrowDown", "rtl", 1],
  ["ArrowUp", "rtl", -1],
  ["ArrowRight", "rtl", -1],
  ["ArrowLeft", "rtl", 1],
  ["Enter", "ltr", undefined],
] as const)("%s leads, written %s, by %s", (key, dir, step) => {
  expect(stepOf(key, dir, false)).toBe(step);
  const sideways = key === "ArrowLeft" || key === "ArrowRight";
  expect(stepOf(key, dir, true)).toBe(sideways ? undefined : step);
});

test.each(LOCALES)("the keyboard of %s has each letter of its surnames once", (locale) => {
  const beyond: Partial<Record<Locale, string>> = { de: "ÄÖÜß", fr: "ÀÂÇÉÈÊËÎÏÔ", es: "ÁÉÍÑÓÚÜ", nb: "ÆØÅ" };
  const letters = `ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'-${beyond[locale] ?? ""}`;
  expect(keyboardRows(locale, "ABC").flat().sort()).toEqual([...letters].sort());
});

test("only what takes letters is a field", () => {
  expect(["name", "choice", "finish"].map((id) => isField(by(id)))).toEqual([true, false, false]);
});
