// @vitest-environment jsdom
import { beforeEach, describe, expect, test } from "vitest";
import { isField, rootOf, stepOf, stopAfter, stopsIn } from "./keypad.ts";

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

test("only what takes letters is a field", () => {
  expect(["name", "choice", "finish"].map((id) => isField(by(id)))).toEqual([true, false, false]);
});
