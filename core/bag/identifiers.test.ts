import { describe, expect, it } from "vitest";
import { BagError } from "./errors.ts";
import { formatLicencePlate, isLicencePlate, parseLicencePlate } from "./licence-plate.ts";
import { forDelegates, givenNameFit, isSameSurname } from "./passenger-name.ts";
import { foldLocator } from "./record-locator.ts";

it.each([
  ["ABC123", "ABC123"],
  ["abc123", "ABC123"],
  [" abc 123\t", "ABC123"],
  ["ABC\u00a0123\u2003", "ABC123"],
  ["ＡＢＣ１２３", "ABC123"],
  ["ABC-123", "ABC-123"],
  ["ABC١٢٣", "ABC123"],
  ["ABC۱۲۳", "ABC123"],
  ["abc१२३", "ABC123"],
  ["ABC①②③", "ABC123"],
  ["ABC𝟏𝟐𝟑", "ABC123"],
  ["ABC123\u200f", "ABC123"],
  ["\u202aABC123\u202c", "ABC123"],
  ["\ufeffABC\u00ad12\u200b3", "ABC123"],
  ["ABC\u2060123\ufe0f", "ABC123"],
])("a record locator typed %j is %j", (typed, folded) => {
  expect(foldLocator(typed)).toBe(folded);
});

describe("a licence plate", () => {
  it("comes apart into leading digit, carrier and serial", () => {
    expect(parseLicencePlate("0117123456")).toEqual({
      digits: "0117123456",
      leading: 0,
      carrier: "117",
      serial: "123456",
    });
  });

  it("is put together from its parts", () => {
    expect(formatLicencePlate({ leading: 0, carrier: "220", serial: "654321" }).digits).toBe("0220654321");
  });

  it.each([
    "",
    "011712345",
    "01171234567",
    "0117 12345",
    "SK12345678",
    "٠١١٧١٢٣٤٥٦",
    "0117123456\n",
    "0000000000",
  ])("is not %j", (text) => {
    expect(isLicencePlate(text)).toBe(false);
    expect(() => parseLicencePlate(text)).toThrow(BagError);
  });

  it("never hides a short part behind a long one", () => {
    expect(() => formatLicencePlate({ leading: 0, carrier: "17", serial: "1234567" })).toThrow(BagError);
    expect(() => formatLicencePlate({ leading: 10, carrier: "17", serial: "123456" })).toThrow(BagError);
    expect(() => formatLicencePlate({ leading: 10, carrier: "117", serial: "12345" })).toThrow(BagError);
  });

  it("is not repeated in the error that refuses it", () => {
    expect(() => parseLicencePlate("0117123X56")).toThrow(/^LICENCE_PLATE: not a ten-digit licence plate$/);
  });
});

describe("two given names", () => {
  it.each([
    ["ADA", "ada", 2],
    ["JÜRGEN", "JUERGEN", 2],
    ["SÍLE", "SILE", 2],
    ["ADA", "ADAMRS", 2],
    ["ADA MRS", "ADA", 2],
    ["JOHN PAUL", "JOHNPAULMR", 2],
    ["ADA LOUISE", "ADA", 1],
    ["ADA", "A", 1],
    ["ADA", "", 1],
    ["", "", 1],
    ["AMR", "A", 1],
    ["ADA", "EVA", 0],
    ["JOHN", "JANE", 0],
  ])("%j and %j fit %i", (one, other, fit) => {
    expect(givenNameFit(one, other)).toBe(fit);
    expect(givenNameFit(other, one)).toBe(fit);
  });
});

describe("two surnames", () => {
  it.each([
    ["MÜLLER", "MUELLER", true],
    ["O'BRIEN", "OBRIEN", true],
    ["WOLFESCHLEGELSTEINHAUSEN", "WOLFESCHLEGELSTEINHA", true],
    ["LOVELACE", "LOVEL", false],
    ["SMITH", "SMYTH", false],
    ["", "", false],
  ])("%j and %j are one: %j", (one, other, same) => {
    expect(isSameSurname(one, other)).toBe(same);
    expect(isSameSurname(other, one)).toBe(same);
  });
});

it.each([
  ["ADA", "LOVELACE", "ADA", "L."],
  ["Ada Augusta", "Lovelace", "Ada", "L."],
  ["SUHARTO", "SUHARTO", "", "S."],
  ["MÜLLER", "Mueller-Lüdenscheidt", "", "M."],
  ["Lovelace-King", "Lovelace", "", "L."],
  ["MARIASILVAMRS", "SILVA", "", "S."],
  ["Rajeshkumar", "Rajesh", "", "R."],
  ["LILY", "LI", "LILY", "L."],
  ["", "", "", "."],
])("shows of %s %s no more than %j %j", (givenName, surname, first, initial) => {
  expect(forDelegates({ givenName, surname })).toEqual({ givenName: first, surname: initial });
});
