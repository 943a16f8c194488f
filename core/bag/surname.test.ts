import { beforeAll, describe, expect, it } from "vitest";
import { fromBase64Url, utf8 } from "../encoding/bytes.ts";
import vectors from "../vectors/surnames.json" with { type: "json" };
import {
  dummyTokens,
  fold,
  importPepper,
  OLDER_UNTIL,
  type Pepper,
  presentedTokens,
  storedTokens,
  surnamesMatch,
} from "./surname.ts";

let pepper: Pepper;
beforeAll(async () => {
  pepper = await importPepper(utf8("a pepper of thirty-two characters"));
});

/** When only the present folding counts. */
const now = OLDER_UNTIL;

async function match(
  stored: string,
  presented: string,
  contexts: readonly [string, string] = ["ABC123", "ABC123"],
) {
  return surnamesMatch(
    await storedTokens(pepper, contexts[0], stored),
    await presentedTokens(pepper, contexts[1], presented, now),
  );
}

describe("folding a surname", () => {
  it.each([
    ["Lovelace", ["LOVELACE"]],
    ["MÜLLER", ["MULLER", "MUELLER"]],
    ["Mu\u0308ller", ["MULLER", "MUELLER"]],
    ["O'Brien", ["OBRIEN"]],
    ["O’BRIEN", ["OBRIEN"]],
    ["Oʼbrien", ["OBRIEN"]],
    ["Weiß", ["WEISS"]],
    ["WEIẞ", ["WEISS"]],
    ["Smith-Jones", ["SMITHJONES"]],
    ["van der Berg", ["VANDERBERG"]],
    ["Ångström", ["ANGSTROM", "AANGSTROM", "ANGSTROEM", "AANGSTROEM"]],
    ["Sørensen", ["SORENSEN", "SOERENSEN"]],
    ["Ælfgar", ["ALFGAR", "AELFGAR"]],
    ["Núñez", ["NUNEZ"]],
    ["Łukasiewicz", ["LUKASIEWICZ"]],
    ["Dr. Prof. Müller", ["MULLER", "MUELLER"]],
    ["Müller Mrs", ["MULLER", "MUELLER"]],
    ["Lord", ["LORD"]],
    ["Đoković", ["DOKOVIC", "DJOKOVIC"]],
    ["LOVELACE/ADA MRS", ["LOVELACE"]],
    ["/", []],
    ["LOVELACEMRS", ["LOVELACEMRS", "LOVELACE"]],
    ["MÜLLERMR", ["MULLERMR", "MULLER", "MUELLERMR", "MUELLER"]],
    ["Adams", ["ADAMS"]],
    ["Ивано́в", ["ИВАНОВ"]],
    ["Lord-Jones", ["LORDJONES"]],
    ["Dr. Lord-Jones", ["LORDJONES"]],
    ["Lord Jones", ["JONES", "LORDJONES"]],
    ["Əliyev", ["ALIYEV", "ELIYEV"]],
    ["Love\u200blace\u200f", ["LOVELACE"]],
    ["  ", []],
    ["'-.", []],
  ])("gives the forms of %j", (name, forms) => {
    expect(fold(name).sort()).toEqual([...forms].sort());
  });

  it.each(["ÄÖÜÅÆØŒ-ÄÖÜÅÆØŒ", "ÄÖÜĐMRS"])("never gives more than eight forms: %s", (name) => {
    expect(fold(name)).toHaveLength(8);
  });

  it("keeps the forms without marks and with all letters written out where there are more", () => {
    expect(fold("ÄÖÜĐMRS").slice(0, 4)).toEqual(["AOUDMRS", "AOUD", "AEOEUEDJMRS", "AEOEUEDJ"]);
  });
});

describe("surnames as documents, tickets and people write them", () => {
  it("are enough", () => {
    expect(vectors.match.length).toBeGreaterThanOrEqual(80);
    expect(vectors.differ.length).toBeGreaterThanOrEqual(30);
    const rows = [...vectors.match, ...vectors.differ];
    expect(rows.filter(({ source }) => !(source in vectors.sources))).toEqual([]);
    expect(new Set(rows.map(({ a, b }) => `${a}\n${b}`)).size).toBe(rows.length);
  });

  it.each(vectors.match)("$a and $b match, whichever is on the booking", async ({ a, b }) => {
    expect([await match(a, b), await match(b, a)]).toEqual([true, true]);
  });

  it.each(vectors.differ)("$a and $b do not", async ({ a, b }) => {
    expect([await match(a, b), await match(b, a)]).toEqual([false, false]);
  });
});

describe("names that were stored in the older folding", () => {
  const isFound = async ({ name, storedTokens }: (typeof vectors.older)[number], now: number) =>
    surnamesMatch(fromBase64Url(storedTokens), await presentedTokens(pepper, "ABC123", name, now));

  it.each(vectors.older)("are found as they are spelt until the day: $name", async (row) => {
    expect([await isFound(row, OLDER_UNTIL - 1), await isFound(row, OLDER_UNTIL)]).toEqual([true, false]);
  });

  it("cost no token more", async () => {
    for (const name of ["Lord-Jones", "Lovelace", "ÄÖÜĐƏ-Lord-ÄÖÜĐƏ-Schnarrenberger", ""]) {
      expect(await presentedTokens(pepper, "X", name, OLDER_UNTIL - 1)).toHaveLength(32 * 16);
    }
  });

  it("are no more than before: another name does not match them", async () => {
    const stored = await storedTokens(pepper, "ABC123", "Lord-Jones");
    const presented = await presentedTokens(pepper, "ABC123", "Jones", OLDER_UNTIL - 1);
    expect(surnamesMatch(stored, presented)).toBe(false);
  });
});

describe("matching surnames", () => {
  it("finds emptiness unlike anything, itself too", async () => {
    expect([await match("LOVELACE", ""), await match("", "")]).toEqual([false, false]);
  });

  it("fails for another record locator, so equal names of two bookings look different", async () => {
    expect(await match("LOVELACE", "LOVELACE", ["ABC123", "ABC124"])).toBe(false);
  });

  it("fails under another pepper", async () => {
    const other = await importPepper(utf8("another pepper of many characters"));
    const presented = await presentedTokens(other, "ABC123", "LOVELACE", now);
    expect(surnamesMatch(await storedTokens(pepper, "ABC123", "LOVELACE"), presented)).toBe(false);
  });

  it("stores and presents a length that reveals nothing about the name", async () => {
    const names = ["A", "ÄÖÜ", "Wolfeschlegelsteinhausenbergerdorff", ""];
    for (const name of names) {
      expect(await storedTokens(pepper, "X", name)).toHaveLength(24 * 16);
      expect(await presentedTokens(pepper, "X", name, now)).toHaveLength(32 * 16);
    }
  });

  it("stores and presents in an order that reveals nothing about the name", async () => {
    for (const tokensOf of [storedTokens, presentedTokens]) {
      const tokens = await tokensOf(pepper, "X", "ÄÖÜ", now);
      const firstBytes = [...tokens].filter((_, i) => i % 16 === 0);
      expect(firstBytes).toEqual(firstBytes.toSorted((a, b) => a - b));
    }
  });

  it("matches no name with nothing stored", async () => {
    expect(surnamesMatch(dummyTokens(), await presentedTokens(pepper, "X", "LOVELACE", now))).toBe(false);
  });

  it("refuses tokens of another length instead of finding emptiness equal", async () => {
    const presented = await presentedTokens(pepper, "X", "LOVELACE", now);
    expect(() => surnamesMatch(new Uint8Array(0), presented)).toThrow(RangeError);
    expect(() => surnamesMatch(dummyTokens(), new Uint8Array(0))).toThrow(RangeError);
  });
});
