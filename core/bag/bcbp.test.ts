import { describe, expect, it } from "vitest";
import vectors from "../vectors/bcbp.json" with { type: "json" };
import { parseBcbp } from "./bcbp.ts";
import { flightDay, issueTime } from "./bcbp-days.ts";

const NOW = Date.parse("2026-05-01");

describe("a boarding pass", () => {
  it.each(vectors.accepted)("is read: $name", ({ scanData, now, pass }) => {
    expect(parseBcbp(scanData, Date.parse(now))).toEqual(pass);
  });

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
    const issued = row.issued && issueTime({ ...row.issued, column: 1 }, now);
    expect(flightDay({ day: row.day, column: 1 }, { issued, now })).toBe(row.date);
  });
});
