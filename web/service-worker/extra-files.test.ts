import { beforeEach, describe, expect, test } from "vitest";
import { extraFiles } from "./extra-files.ts";
import { answererOf } from "./navigation.ts";

/** One cache, in memory; `loaded`: what came over the network. */
function storage() {
  const kept = new Map<string, Response>();
  const loaded: string[] = [];
  const cache = {
    keys: async () => [...kept.keys()].map((url) => ({ url: `https://tags.example${url}` })),
    async addAll(urls: readonly string[]) {
      loaded.push(...urls);
      for (const url of urls) kept.set(url, new Response(url));
    },
    delete: async (url: string) => kept.delete(url),
  };
  const match = async ({ url }: Request) => kept.get(new URL(url).pathname);
  return { loaded, kept, caches: { open: async () => cache, match } as unknown as CacheStorage };
}

const FILES = [
  "assets/words/de/de-1.js",
  "assets/words/de/de-errors-1.js",
  "assets/words/fr/fr-1.js",
  "assets/kiosk/KioskRoot-1.js",
  "assets/kiosk/de/de-kiosk-1.js",
];
const NEXT = FILES.map((path) => path.replace("-1", "-2"));
const named = (kept: Map<string, unknown>) =>
  [...kept.keys()].map((url) => url.replace("/assets/", "")).sort();

describe("the worker keeps", () => {
  let there: ReturnType<typeof storage>;
  beforeEach(() => {
    there = storage();
  });

  test.each([
    [["words/de"], ["words/de/de-1.js", "words/de/de-errors-1.js"]],
    [["kiosk"], ["kiosk/KioskRoot-1.js", "kiosk/de/de-kiosk-1.js"]],
    [["words/d"], []],
    [[], []],
  ])("of %s its files and those below it", async (folders, expected) => {
    await extraFiles(FILES, there.caches).keep(folders);
    expect(named(there.kept)).toEqual(expected);
  });

  test("what it has already without loading it again", async () => {
    const { keep } = extraFiles(FILES, there.caches);
    await keep(["words/fr"]);
    await keep(["words"]);
    expect(there.loaded.filter((url) => url.includes("fr-1"))).toHaveLength(1);
  });

  test("the same folders of a new version, before it drops those of the old one", async () => {
    await extraFiles(FILES, there.caches).keep(["words/de"]);
    const next = extraFiles(NEXT, there.caches);
    await next.keepAgain();
    expect(named(there.kept)).toEqual(
      ["words/de/de-1.js", "words/de/de-2.js", "words/de/de-errors-1.js", "words/de/de-errors-2.js"].sort(),
    );
    await next.dropOld();
    expect(named(there.kept)).toEqual(["words/de/de-2.js", "words/de/de-errors-2.js"]);
  });
});

test("only extra files of this version are answered, from what is kept", async () => {
  const { caches } = storage();
  const extras = extraFiles(FILES, caches);
  await extras.keep(["words/fr"]);
  const at = (path: string) => new URL(path, "https://tags.example");
  expect(
    ["/assets/words/fr/fr-1.js", "/assets/words/fr/fr-0.js", "/assets/index-1.js"]
      .map(at)
      .map((url) => extras.answers({ url })),
  ).toEqual([true, false, false]);
  const answer = await extras.answer({ request: new Request(at("/assets/words/fr/fr-1.js")) });
  expect(await answer.text()).toBe("/assets/words/fr/fr-1.js");
});

describe("a navigation is answered", () => {
  test.each([
    ["page", ["/", "/find", "/journeys/j1/bags/2", "/t/tag-1.v21", "/clear/", "/kiosk/setup"]],
    [
      "network",
      ["/v2/nothing", "/docs", "/assets/a.js", "/screens/clear", "/privacy", "/handover", "/HandOver"],
    ],
    ["unknown", ["/nowhere", "/kiosk/nowhere", "/t/a/b", "/docs2", "/icon.svg"]],
  ] as const)("by the %s", (answerer, paths) => {
    expect(paths.map((path) => [path, answererOf(path)])).toEqual(paths.map((path) => [path, answerer]));
  });
});
