import { beforeAll, describe, expect, it } from "vitest";
import { type DataKey, importDataKey } from "../secrets/sealed.ts";
import { sealsBookmarks, startAt } from "./connect.ts";

const NOW = 1_790_000_000_000;
const [FIRST, SECOND, THIRD] = ["00000085-0000024c", "00000085-0000024d", "00000086-00000001"];

const keyOf = (byte: number) => importDataKey(new Uint8Array(32).fill(byte));

let key: DataKey;
beforeAll(async () => {
  key = await keyOf(1);
});

describe("a sealed bookmark", () => {
  it("opens to itself, and twice sealed is never the same", async () => {
    const seal = sealsBookmarks();
    const [one, other] = [
      await seal(key, { seen: FIRST, now: NOW }),
      await seal(key, { seen: FIRST, now: NOW }),
    ];
    expect(one).toMatch(/^1790000000000-[0-9a-v]+$/);
    expect(other.split("-")[1]).not.toBe(one.split("-")[1]);
    expect(await startAt(key, one)).toEqual({ since: FIRST, fromCaller: { at: NOW, bookmark: FIRST } });
  });

  it("hides in its time whether anything was written", async () => {
    const timesOf = async (...seen: readonly string[]) => {
      const seal = sealsBookmarks();
      const texts = [];
      for (const bookmark of seen) texts.push(await seal(key, { seen: bookmark, now: NOW }));
      return texts.map((text) => text.slice(0, 13));
    };
    expect(await timesOf(FIRST, FIRST, FIRST)).toEqual(await timesOf(FIRST, SECOND, THIRD));
  });

  it("is greater as text than an unsealed one that an SDK has", async () => {
    expect((await sealsBookmarks()(key, { seen: FIRST, now: NOW })) > THIRD).toBe(true);
  });

  it.each([
    ["another key's", async () => sealsBookmarks()(await keyOf(2), { seen: FIRST, now: NOW })],
    [
      "one under another time",
      async () => (await sealsBookmarks()(key, { seen: FIRST, now: NOW })).replace(/^1/, "2"),
    ],
    ["one that is cut", async () => (await sealsBookmarks()(key, { seen: FIRST, now: NOW })).slice(0, -8)],
    ["a space", async () => "first unconstrained"],
    ["a text longer than any", async () => "0".repeat(129)],
    ["no text", async () => ""],
  ])("begins at the primary where it is %s", async (_, made) => {
    expect(await startAt(key, await made())).toEqual({ since: "first-primary" });
  });

  it("opens while the key is being changed", async () => {
    const text = await sealsBookmarks()(key, { seen: FIRST, now: NOW });
    const changed = await importDataKey(new Uint8Array(32).fill(2), new Uint8Array(32).fill(1));
    expect(await startAt(changed, text)).toMatchObject({ since: FIRST });
  });
});

describe("the order of texts is that of the bookmarks", () => {
  it("independent of the clock", async () => {
    const seal = sealsBookmarks();
    const texts = [
      await seal(key, { seen: FIRST, now: NOW }),
      await seal(key, { seen: SECOND, now: NOW }),
      await seal(key, { seen: THIRD, now: NOW - 5_000 }),
    ];
    expect(texts.toSorted()).toEqual(texts);
  });

  it("for an answer that was overtaken, and for a copy that is behind", async () => {
    const seal = sealsBookmarks();
    const newest = await seal(key, { seen: THIRD, now: NOW });
    const overtaken = await seal(key, { seen: FIRST, now: NOW + 5_000 });
    expect(overtaken < newest).toBe(true);
  });

  it("for a caller whose bookmark comes from an isolate whose clock is ahead", async () => {
    const fromCaller = { at: NOW + 5_000, bookmark: FIRST };
    const text = await sealsBookmarks()(key, { seen: SECOND, now: NOW, fromCaller });
    expect(text.slice(0, 13)).toBe(String(NOW + 5_001));
  });
});
