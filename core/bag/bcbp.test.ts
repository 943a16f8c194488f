import { describe, expect, it } from "vitest";
import vectors from "../vectors/bcbp.json" with { type: "json" };
import { parseBcbp } from "./bcbp.ts";
import { flightDay, issueTime } from "./bcbp-days.ts";

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
