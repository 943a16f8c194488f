import { decode, encode } from "bcbp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../cases.test-support.ts";
import { parseBcbp } from "./bcbp.ts";
import { glanceAtBcbp } from "./bcbp-glance.ts";
import { anyPass, type Part, type PrintedPass, textOf } from "./bcbp-grammar.test-support.ts";
import { FormatError } from "./errors.ts";

/** So many cases take longer than any test should. */
const BY_NIGHT = { timeout: 3_600_000 };
const CASES = cases(100);

/** Whether the lengths a text announces add up to its own: the arithmetic of Resolution 792 and nothing else. */
function addsUp(text: string): boolean {
  const hex = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  let at = 23;
  for (let left = Number(text[1]); left > 0; left--) at += 37 + hex(at + 35);
  if (at === text.length) return true;
  return text[at] === "^" && at + 4 + hex(at + 2) === text.length;
}

function outcomeOf(text: string, now: number): "read" | FormatError {
  try {
    parseBcbp(text, now);
    return "read";
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

function refusedOrAddsUp(text: string, now: number): void {
  const outcome = outcomeOf(text, now);
  if (outcome === "read") expect(addsUp(text)).toBe(true);
  else {
    expect(outcome.at).toBeGreaterThanOrEqual(1);
    expect(outcome.at).toBeLessThanOrEqual(text.length + 1);
  }
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
        expect(glance?.recordLocator).toBe(meant.legs[0]?.recordLocator);
      }),
      CASES,
    );
  });

  it("says the same after the library has read it and printed it again", () => {
    fc.assert(
      fc.property(anyPass, ({ parts, meant, now }) => {
        // The library takes day 366 of other years for the first of January.
        fc.pre(parts.every(({ name, text }) => name !== "day" || text !== "366"));
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

  it("is refused with another length in place of any, unless the whole adds up", () => {
    fc.assert(
      fc.property(
        fieldOf(({ name }) => name === "size"),
        ({ pass, place, pick }) => {
          const other = (pick % 256).toString(16).toUpperCase().padStart(2, "0");
          refusedOrAddsUp(withText(pass, place, other), pass.now);
        },
      ),
      CASES,
    );
  });

  it("is refused wherever it is cut, unless what is left adds up", () => {
    fc.assert(
      fc.property(anyPass, fc.nat(), ({ parts, now }, at) => {
        const text = textOf(parts);
        const cut = text.slice(0, at % text.length);
        refusedOrAddsUp(cut, now);
        if (parts.every(({ name }) => name !== "signature")) expect(outcomeOf(cut, now)).not.toBe("read");
      }),
      CASES,
    );
  });

  it("is refused with one character more anywhere, unless the whole adds up", () => {
    const character = fc.string({ minLength: 1, maxLength: 1, unit: "binary-ascii" });
    fc.assert(
      fc.property(anyPass, fc.nat(), character, ({ parts, now }, at, one) => {
        const text = textOf(parts);
        const place = at % (text.length + 1);
        refusedOrAddsUp(text.slice(0, place) + one + text.slice(place), now);
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
        fc.property(anyText, (text) => refusedOrAddsUp(beginning + text, now)),
        CASES,
      );
    },
  );
});
