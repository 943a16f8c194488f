import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "./bytes.ts";
import {
  CborError,
  CborReader,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "./cbor.ts";

const reader = (hex: string) => new CborReader(fromHex(hex));

// RFC 8949 appendix A.
const INTEGERS: readonly (readonly [string, number])[] = [
  ["00", 0],
  ["17", 23],
  ["1818", 24],
  ["1864", 100],
  ["18ff", 255],
  ["190100", 256],
  ["1903e8", 1000],
  ["19ffff", 65535],
  ["1a00010000", 65536],
  ["1a000f4240", 1000000],
  ["1affffffff", 4294967295],
  ["1b0000000100000000", 4294967296],
  ["1b000000e8d4a51000", 1000000000000],
  ["1b001fffffffffffff", Number.MAX_SAFE_INTEGER],
  ["20", -1],
  ["37", -24],
  ["3818", -25],
  ["3863", -100],
  ["3903e7", -1000],
  ["390100", -257],
];

describe("CBOR", () => {
  it.each(INTEGERS)("%s is the integer %i", (hex, value) => {
    expect(reader(hex).int()).toBe(value);
    expect(toHex(encodeInt(value))).toBe(hex);
  });

  it.each([2 ** 53, -(2 ** 53), 0.5, Number.NaN])(
    "does not write %d, which is no integer it reads",
    (value) => {
      expect(() => encodeInt(value)).toThrow(RangeError);
    },
  );

  it("reads and writes strings, arrays, maps and simple values", () => {
    const item = encodeMap(
      [encodeInt(1), encodeArray(encodeBstr(fromHex("01020304")), encodeTstr("ü"))],
      [encodeInt(2), encodeSimple(null)],
      [encodeInt(-1), encodeArray(encodeSimple(true), encodeSimple(false))],
    );
    expect(toHex(item)).toBe("a30182440102030462c3bc02f62082f5f4");
    const sequence = new CborReader(item);
    expect([sequence.map(), sequence.int(), sequence.array()]).toEqual([3, 1, 2]);
    expect([toHex(sequence.bstr()), sequence.tstr(), sequence.int()]).toEqual(["01020304", "ü", 2]);
    expect([sequence.simple(), sequence.int(), sequence.array()]).toEqual([null, -1, 2]);
    expect([sequence.simple(), sequence.simple(), sequence.done]).toEqual([true, false, true]);
  });

  it("gives an item back as the bytes it came in", () => {
    const sequence = reader("01a1182182410241030a");
    expect(sequence.int()).toBe(1);
    expect(toHex(sequence.raw())).toBe("a118218241024103");
    expect(toHex(sequence.rest())).toBe("0a");
  });

  it.each([
    ["an integer of 24 in two bytes more than needed", "190018"],
    ["23 in two bytes", "1817"],
    ["255 in three bytes", "1900ff"],
    ["65535 in five bytes", "1a0000ffff"],
    ["4294967295 in nine bytes", "1b00000000ffffffff"],
    ["an integer over 2^53", "1b0020000000000000"],
    ["a negative 24 in two bytes", "3817"],
    ["an overlong byte string length", "580101"],
    ["an overlong array length", "980101"],
    ["an overlong map length", "b8010101"],
    ["an indefinite byte string", "5f4101ff"],
    ["an indefinite text string", "7f6161ff"],
    ["an indefinite array", "9f01ff"],
    ["an indefinite map", "bf0101ff"],
    ["a tag", "c101"],
    ["undefined", "f7"],
    ["an unassigned simple value", "e0"],
    ["false in two bytes", "f814"],
    ["a half float", "f93c00"],
    ["a single float", "fa3f800000"],
    ["a reserved length", "1c"],
    ["a break alone", "ff"],
    ["text that is not UTF-8", "61ff"],
    ["map keys in descending order", "a202010101"],
    ["a map key twice", "a201010102"],
    ["a long map key before a short one", "a21864010101"],
    ["a byte string that ends too early", "4201"],
    ["an array that ends too early", "8201"],
    ["a length beyond the end", "5affffffff00"],
    ["nothing", ""],
    ["nesting deeper than any of our structures", `${"81".repeat(8)}00`],
  ])("refuses %s", (_what, hex) => {
    expect(() => reader(hex).raw()).toThrow(CborError);
  });

  it("takes map keys in the order of their bytes: unsigned before negative, short before long", () => {
    expect(toHex(reader("a301010202200a").raw())).toBe("a301010202200a");
    expect(toHex(reader("a21701181802").raw())).toBe("a21701181802");
  });

  it("takes the deepest nesting it allows", () => {
    const hex = `${"81".repeat(7)}00`;
    expect(toHex(reader(hex).raw())).toBe(hex);
  });

  it("refuses bytes after the end", () => {
    const sequence = reader("0102");
    sequence.int();
    expect(() => sequence.end()).toThrow(CborError);
  });

  it.each([
    ["int", "40"],
    ["uint", "20"],
    ["bstr", "60"],
    ["tstr", "40"],
    ["array", "a0"],
    ["map", "80"],
    ["simple", "00"],
  ] as const)("refuses another type where it wants %s", (type, hex) => {
    expect(() => reader(hex)[type]()).toThrow(CborError);
  });

  it("owns what it returns", () => {
    const bytes = fromHex("4101");
    const value = new CborReader(bytes).bstr();
    bytes.fill(0);
    expect(toHex(value)).toBe("01");
  });
});
