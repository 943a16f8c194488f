import { decode, encode } from "bcbp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../full.test-support.ts";
import vectors from "../vectors/bcbp.json" with { type: "json" };
import { type BoardingPass, flightDay, issueTime, parseBcbp } from "./bcbp.ts";
import { glanceAtBcbp } from "./bcbp-glance.ts";
import { anyPass, type Part, type PrintedPass, textOf } from "./bcbp-grammar.test-support.ts";
import { FormatError } from "./errors.ts";

const NOW = Date.parse("2026-05-01");

function read(scanData: string, now = "2026-05-01") {
  const unread = new Set<string>();
  const pass = parseBcbp(scanData, Date.parse(now), (part) => unread.add(part));
  return { pass, unread: [...unread] };
}

describe("a boarding pass", () => {
  it.each(vectors.accepted)("is read: $name", ({ scanData, now, pass, unread = [] }) => {
    expect(read(scanData, now)).toEqual({ pass, unread });
  });

  it.each(vectors.conditional)(
    "is read, without what cannot be: $name",
    ({ scanData, date, bags, unread = [] }) => {
      const [, tagged] = vectors.accepted;
      const legs = tagged?.pass.legs.map((leg) => ({ ...leg, ...(date && { date }) }));
      const bagTags = tagged?.pass.bagTags.slice(0, bags ?? 0);
      expect(read(scanData)).toEqual({ pass: { ...tagged?.pass, legs, bagTags }, unread });
    },
  );

  it.each(vectors.malformed)("is refused with its column: $name", ({ scanData, at }) => {
    expect(() => parseBcbp(scanData, NOW)).toThrow(expect.objectContaining({ code: "BCBP", at }));
  });

  it("says what is wrong without repeating the pass", () => {
    const texts = vectors.malformed.map(({ scanData }) => {
      try {
        return parseBcbp(scanData, NOW).surname;
      } catch (error) {
        return String(error);
      }
    });
    expect(texts.join("\n")).not.toMatch(/LOVELACE|ABC123|DOEDOED/);
  });
});

describe("the year of a flight", () => {
  it.each(vectors.days)("of day $day, issued $issued, seen on $now, makes it $date", (row) => {
    const now = Date.parse(row.now);
    const issued = row.issued && issueTime(row.issued, now);
    expect(flightDay({ day: row.day }, { issued, now })).toBe(row.date);
  });
});

/** So many cases take longer than any test should. */
const BY_NIGHT = { timeout: 3_600_000 };
const CASES = cases(100);

function outcomeOf(text: string, now: number): "read" | FormatError {
  try {
    parseBcbp(text, now);
    return "read";
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** Read, or refused at a column of the text: never anything else. */
function expectAnswer(text: string, now: number): void {
  const outcome = outcomeOf(text, now);
  if (outcome === "read") return;
  expect(outcome.at).toBeGreaterThanOrEqual(1);
  expect(outcome.at).toBeLessThanOrEqual(text.length + 1);
}

/** What the service matches; days aside, whose year a date of issue may decide. */
function matched({ surname, givenName, legs }: BoardingPass) {
  return { surname, givenName, legs: legs.map(({ date: _, ...leg }) => leg) };
}

/** Some field of a pass that `fits`, and where it begins. */
const fieldOf = (fits: (part: Part) => boolean) =>
  anyPass
    .filter(({ parts }) => parts.some(fits))
    .chain((pass) => {
      const places = pass.parts.flatMap((part, i) => (fits(part) ? [i] : []));
      return fc.record({
        pass: fc.constant(pass),
        place: fc.constantFrom(...places),
        pick: fc.nat(),
        at: fc.nat(),
      });
    });

const withText = ({ parts }: PrintedPass, place: number, text: string) =>
  textOf(parts.map((part, i) => (i === place ? { ...part, text } : part)));
const columnOf = ({ parts }: PrintedPass, place: number) => textOf(parts.slice(0, place)).length + 1;

describe("a boarding pass by the grammar", BY_NIGHT, () => {
  it("is read as it was meant", () => {
    fc.assert(
      fc.property(anyPass, ({ parts, meant, now }) => {
        expect(parseBcbp(textOf(parts), now)).toEqual(meant);
      }),
      CASES,
    );
  });

  it("is known at a glance, with the name and the record locator it was meant to have", () => {
    fc.assert(
      fc.property(anyPass, ({ parts, meant }) => {
        const glance = glanceAtBcbp(textOf(parts));
        const [surname, givenName] = glance?.name.split(/\/(.*)/s) ?? [];
        expect(surname?.trim()).toBe(meant.surname);
        expect(givenName?.trim() || undefined).toBe(meant.givenName);
        expect(glance?.recordLocator.toUpperCase()).toBe(meant.legs[0]?.recordLocator);
      }),
      CASES,
    );
  });

  it("says the same after the library has read it and printed it again", () => {
    fc.assert(
      fc.property(anyPass, ({ parts, meant, now }) => {
        // The library takes day 366 of other years for the first of January, and knows no capitals and no padded days.
        fc.pre(parts.every(({ name, text }) => name !== "day" || /^(?!366)\d{3}$/.test(text)));
        const { data = {} } = decode(textOf(parts), new Date(now).getUTCFullYear());
        const again = encode({ data });
        expect(parseBcbp(again, now)).toEqual(meant);
      }),
      CASES,
    );
  });

  it("is refused at the column of a character that no such field has", () => {
    fc.assert(
      fc.property(
        fieldOf(({ text, never }) => text !== "" && never !== ""),
        ({ pass, place, pick, at }) => {
          const { text, never } = pass.parts[place] as Part;
          const column = at % text.length;
          const character = never[pick % never.length] as string;
          const changed = withText(pass, place, text.slice(0, column) + character + text.slice(column + 1));
          expect(outcomeOf(changed, pass.now)).toMatchObject({ at: columnOf(pass, place) + column });
        },
      ),
      CASES,
    );
  });

  it("is refused at the beginning of a field whose characters are right and which is none", () => {
    fc.assert(
      fc.property(
        fieldOf(({ wrong }) => wrong.length > 0),
        ({ pass, place, pick }) => {
          const { wrong } = pass.parts[place] as Part;
          const changed = withText(pass, place, wrong[pick % wrong.length] as string);
          expect(outcomeOf(changed, pass.now)).toMatchObject({ at: columnOf(pass, place) });
        },
      ),
      CASES,
    );
  });

  it("is read whatever its blocks contain, and what follows them, however long they say they are", () => {
    const anything = fc.string({ unit: "binary", maxLength: 80 });
    fc.assert(
      fc.property(
        anyPass,
        fc.array(anything, { minLength: 4, maxLength: 4 }),
        ({ parts, meant, now }, texts) => {
          let block = 0;
          const spoilt = parts
            .filter(({ isConditional }) => !isConditional)
            .map(({ name, text }) => (name === "size" ? text + texts[block++] : text))
            .join("");
          expect(matched(parseBcbp(spoilt, now))).toEqual(matched(meant));
        },
      ),
      CASES,
    );
  });

  it("is read with another length in place of any", () => {
    fc.assert(
      fc.property(
        fieldOf(({ name }) => name.endsWith("size")),
        ({ pass, place, pick }) => {
          const other = (pick % 256).toString(16).toUpperCase().padStart(2, "0");
          const changed = parseBcbp(withText(pass, place, other), pass.now);
          expect(matched(changed)).toEqual(matched(pass.meant));
        },
      ),
      CASES,
    );
  });

  it("is refused wherever it is cut before the length of its last block, and read wherever it is cut behind", () => {
    fc.assert(
      fc.property(anyPass, fc.nat(), ({ parts, now }, at) => {
        const text = textOf(parts);
        const mandatory = textOf(
          parts.slice(0, 1 + parts.findLastIndex(({ name }) => name === "size")),
        ).length;
        const end = at % text.length;
        const outcome = outcomeOf(text.slice(0, end), now);
        if (end < mandatory) expect(outcome).toBeInstanceOf(FormatError);
        else expect(outcome).toBe("read");
      }),
      CASES,
    );
  });

  it("is read, or refused at one of its columns, with one character more anywhere", () => {
    const character = fc.string({ minLength: 1, maxLength: 1, unit: "binary-ascii" });
    fc.assert(
      fc.property(anyPass, fc.nat(), character, ({ parts, now }, at, one) => {
        const text = textOf(parts);
        const place = at % (text.length + 1);
        expectAnswer(text.slice(0, place) + one + text.slice(place), now);
      }),
      CASES,
    );
  });
});

describe("anything else", BY_NIGHT, () => {
  const anyText = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));

  it.each(["", "M1LOVELACE/ADA        E"])(
    "never makes the reader fail in another way: %j and noise",
    (beginning) => {
      const now = Date.parse("2026-05-01");
      fc.assert(
        fc.property(anyText, (text) => expectAnswer(beginning + text, now)),
        CASES,
      );
    },
  );
});
