import { expect, it } from "vitest";
import { masked } from "./masked.ts";

it.each([
  ["LOVELACE", "L•••••"],
  [" øst", "Ø•••••"],
  ["e\u0301mile", "É•••••"],
  ["𠮷田", "𠮷•••••"],
  ["", "•••••"],
  [" ", "•••••"],
])("shows the first letter of %j as people write it, and no length", (text, hint) => {
  expect(masked(text)).toBe(hint);
});
