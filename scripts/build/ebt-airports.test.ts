import { expect, test } from "vitest";
import { requireEbtAirports } from "./ebt-airports.ts";

test("a list of airports for each airline passes, an empty one too", () => {
  expect(() => requireEbtAirports('{ "SK": ["OSL", "ARN"], "U2": [] }')).not.toThrow();
});

test.each([
  ['{ "sk": ["OSL"] }', "sk"],
  ['{ "SK": ["Oslo"] }', "SK"],
  ['{ "SK": "OSL" }', "SK"],
  ['["OSL"]', "0"],
  ['{ "SK": ["OSL"]', "JSON"],
])("%s ends the build and names what is wrong", (file, named) => {
  expect(() => requireEbtAirports(file)).toThrow(named);
});
