import { type BarcodedBoardingPass, encode } from "bcbp";
import fc from "fast-check";
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
});
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
});
