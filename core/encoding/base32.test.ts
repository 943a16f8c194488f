import { describe, expect, test } from "vitest";
import { fromBase32, toBase32 } from "./base32.ts";
import { EncodingError, utf8 } from "./bytes.ts";

/** The vectors of RFC 4648 §10, without padding and in lower case. */
const VECTORS = [
  ["", ""],
  ["f", "co"],
  ["fo", "cpng"],
  ["foo", "cpnmu"],
  ["foob", "cpnmuog"],
  ["fooba", "cpnmuoj1"],
  ["foobar", "cpnmuoj1e8"],
] as const;

describe("base32hex", () => {
  test.each(VECTORS)("writes %j as %j and reads it back", (text, encoded) => {
    expect(toBase32(utf8(text))).toBe(encoded);
    expect(fromBase32(encoded)).toEqual(utf8(text));
  });

  test("sorts as text as its bytes do", () => {
    const values = Array.from({ length: 256 }, (_, i) => Uint8Array.of(i, 255 - i, i ^ 0x5a));
    const texts = values.map(toBase32);
    expect(texts.toSorted()).toEqual(texts);
  });

  test.each(["c", "CO", "cp", "co=", "cw", "c o"])("refuses %j", (text) => {
    expect(() => fromBase32(text)).toThrow(EncodingError);
  });
});
