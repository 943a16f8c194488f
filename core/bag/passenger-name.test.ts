import { describe, expect, it } from "vitest";
import { forDelegates, givenNameFit, isSameSurname } from "./passenger-name.ts";

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
