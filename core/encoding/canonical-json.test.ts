import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("the example of RFC 8785 §3.2.2 has the text that the RFC gives", () => {
  const value = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`);
  expect(canonicalJson(value)).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("names are in the order of RFC 8785 §3.2.3, in whatever order they come", () => {
  const names = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"];
  const shuffled = Object.fromEntries(
    names.toReversed().map((name) => [name, { b: 1, a: [{ d: 1, c: 2 }] }]),
  );
  const inner = '{"a":[{"c":2,"d":1}],"b":1}';
  expect(canonicalJson(shuffled)).toBe(
    `{${names.map((name) => `${JSON.stringify(name)}:${inner}`).join(",")}}`,
  );
});
