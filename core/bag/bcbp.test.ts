import { type BarcodedBoardingPass, encode } from "bcbp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import vectors from "../vectors/bcbp.json" with { type: "json" };
import { parseBcbp } from "./bcbp.ts";
import { flightDay, issueTime } from "./bcbp-days.ts";
import { BagError, FormatError } from "./errors.ts";

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

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"), minLength: min, maxLength: max });
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });
const absentOr = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const day = fc.date({
  min: new Date("2026-03-01"),
  max: new Date("2026-07-01"),
  noInvalidDate: true,
});

const leg = fc.record({
  operatingCarrierPNR: letters(5, 7),
  departureAirport: letters(3, 3),
  arrivalAirport: letters(3, 3),
  operatingCarrierDesignator: letters(2, 3),
  flightNumber: fc.tuple(digits(4), letters(0, 1)).map((parts) => parts.join("")),
  flightDate: day,
  compartmentCode: letters(1, 1),
  seatNumber: absentOr(digits(4)),
  checkInSequenceNumber: absentOr(digits(4)),
  passengerStatus: digits(1),
  airlineNumericCode: absentOr(digits(3)),
  frequentFlyerNumber: absentOr(digits(9)),
  freeBaggageAllowance: absentOr(fc.constant("1PC")),
  fastTrack: absentOr(fc.boolean()),
  airlineInfo: absentOr(letters(1, 20)),
});
const pass = fc.record({
  passengerName: fc.tuple(letters(1, 12), letters(1, 7)).map((parts) => parts.join("/")),
  legs: fc.array(leg, { minLength: 1, maxLength: 4 }),
  passengerDescription: absentOr(digits(1)),
  baggageTagNumber: absentOr(digits(13)),
  securityData: absentOr(letters(1, 30)),
});
/** As the library prints it; it takes no undefined members, and changes what it is given. */
const printed = pass.map((data) => encode(structuredClone({ data }) as BarcodedBoardingPass));

/** Whether the lengths a text announces add up to its own: the arithmetic of Resolution 792 and nothing else. */
function addsUp(text: string): boolean {
  const hex = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  let at = 23;
  for (let left = Number(text[1]); left > 0; left--) at += 37 + hex(at + 35);
  if (at === text.length) return true;
  return text[at] === "^" && at + 4 + hex(at + 2) === text.length;
}

function outcomeOf(text: string): "read" | FormatError {
  try {
    parseBcbp(text, NOW);
    return "read";
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

function refusedOrAddsUp(text: string): void {
  const outcome = outcomeOf(text);
  if (outcome === "read") expect(addsUp(text)).toBe(true);
  else {
    expect(outcome.at).toBeGreaterThanOrEqual(1);
    expect(outcome.at).toBeLessThanOrEqual(text.length + 1);
  }
}

describe("a boarding pass the library prints", () => {
  it("is read as it was meant", () => {
    const both = pass.map((data) => ({
      data,
      text: encode(structuredClone({ data }) as BarcodedBoardingPass),
    }));
    fc.assert(
      fc.property(both, ({ data, text }) => {
        const read = parseBcbp(text, NOW);
        expect(`${read.surname}/${read.givenName}`).toBe(data.passengerName);
        expect(read.legs).toEqual(
          data.legs.map((one) => ({
            recordLocator: one.operatingCarrierPNR,
            from: one.departureAirport,
            to: one.arrivalAirport,
            carrier: one.operatingCarrierDesignator,
            number: one.flightNumber,
            date: one.flightDate.toISOString().slice(0, 10),
          })),
        );
      }),
    );
  });

  it("is refused wherever it is cut, unless what is left adds up", () => {
    fc.assert(
      fc.property(printed, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % text.length);
        refusedOrAddsUp(cut);
        if (!text.includes("^")) expect(outcomeOf(cut)).toBeInstanceOf(BagError);
      }),
    );
  });

  it("is refused with one character more anywhere, unless the whole adds up", () => {
    const character = fc.string({ minLength: 1, maxLength: 1, unit: "binary-ascii" });
    fc.assert(
      fc.property(printed, fc.nat(), character, (text, at, one) => {
        const place = at % (text.length + 1);
        refusedOrAddsUp(text.slice(0, place) + one + text.slice(place));
      }),
    );
  });

  it("never makes the reader fail in another way, whatever is scanned", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => refusedOrAddsUp(text)));
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => refusedOrAddsUp(`M1LOVELACE/ADA        E${text}`)),
    );
  });
});
