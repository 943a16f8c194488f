import { decode, encode } from "bcbp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../full.test-support.ts";
import vectors from "../vectors/bcbp.json" with { type: "json" };
import { flightDay, glanceAtBcbp, issueTime, parseBcbp } from "./bcbp.ts";
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

const PASSES = [...vectors.accepted, ...vectors.conditional.map((row) => ({ ...row, now: "2026-05-01" }))];

const [, tagged] = vectors.accepted;

describe("a boarding pass of the vectors", () => {
  it.each(vectors.accepted)("is known at a glance: $name", ({ scanData, pass }) => {
    const glance = glanceAtBcbp(scanData);
    const [surname, givenName] = glance?.name.split(/\/(.*)/s) ?? [];
    expect(surname?.trim()).toBe(pass.surname);
    expect(givenName?.trim() || undefined).toBe("givenName" in pass ? pass.givenName : undefined);
    expect(glance?.recordLocator.toUpperCase()).toBe(pass.legs[0]?.recordLocator);
  });

  it.each<[string, (scanData: string) => string, string, object]>([
    [
      "blanks around the stroke of its name",
      (text) => text.replace("LOVELACE/ADA        ", "LOVELACE /          "),
      "2026-05-01",
      { surname: "LOVELACE", givenName: undefined },
    ],
    [
      "more than a hundred bags",
      (text) => text.replace("0117123456001", "0117123456112"),
      "2026-05-01",
      { bagTags: [{ licencePlate: "0117123456", count: 112 }] },
    ],
    [
      "a flight on a day before that of its issue: of the next year, however near the last one is",
      (text) => text.replace("6122BSK", "5300BSK").replace("1234 123", "1234 290"),
      "2025-11-15",
      { legs: [{ ...tagged?.pass.legs[0], number: "1234", date: "2026-10-17" }] },
    ],
  ])("is read with %s", (_, change, now, expected) => {
    expect(read(change(tagged?.scanData ?? ""), now).pass).toEqual({ ...tagged?.pass, ...expected });
  });

  it.each([
    ["a digit in its second airport", "OSLARN", "OSLAR1", 36],
    ["a carrier behind a blank", "SK 1234", " SK1234", 37],
  ])("is refused with %s", (_, text, other, at) => {
    const changed = (tagged?.scanData ?? "").replace(text, other);
    expect(outcomeOf(changed, NOW)).toMatchObject({ code: "BCBP", at });
  });

  // The library knows no capitals, no padded days and no wrong lengths.
  it.each(vectors.accepted.slice(0, 3))(
    "says the same after the library has read it and printed it again: $name",
    ({ scanData, now, pass }) => {
      const { data = {} } = decode(scanData, Number(now.slice(0, 4)));
      expect(read(encode({ data }), now).pass).toEqual(pass);
    },
  );

  const oneLeg = vectors.accepted.filter(({ scanData }) => scanData.startsWith("M1"));
  it.each(oneLeg)("is refused where it is cut in its 60 columns, and read behind them: $name", (vector) => {
    const { scanData, now } = vector;
    for (let end = 0; end <= scanData.length; end++) {
      const outcome = outcomeOf(scanData.slice(0, end), Date.parse(now));
      if (end < 60)
        expect(outcome).toMatchObject({ code: "BCBP", at: expect.toSatisfy((at) => at <= end + 1) });
      else expect(outcome).toBe("read");
    }
  });
});

/** So many cases take longer than any test should. */
const BY_NIGHT = { timeout: 3_600_000 };
const CASES = cases(300);

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

describe("anything else", BY_NIGHT, () => {
  const anyText = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));

  it("is read, or refused at one of its columns: a pass with other text in place of some of it", () => {
    const few = fc.string({ unit: "binary-ascii", maxLength: 3 });
    fc.assert(
      fc.property(
        fc.constantFrom(...PASSES),
        fc.nat(),
        fc.nat(3),
        few,
        ({ scanData, now }, at, cut, text) => {
          const place = at % (scanData.length + 1);
          expectAnswer(scanData.slice(0, place) + text + scanData.slice(place + cut), Date.parse(now));
        },
      ),
      CASES,
    );
  });

  it.each(["", "M1LOVELACE/ADA        E"])(
    "never makes the reader fail in another way: %j and noise",
    (beginning) => {
      fc.assert(
        fc.property(anyText, (text) => expectAnswer(beginning + text, NOW)),
        CASES,
      );
    },
  );
});
