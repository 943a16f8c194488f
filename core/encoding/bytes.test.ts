import { describe, expect, it, test } from "vitest";
import { canonicalJson } from "../sec/report.ts";
import * as b from "./bytes.ts";
import { EncodingError, fromBase32, fromHex, toBase32, toHex, utf8 } from "./bytes.ts";
import { CursorError, Reader, Writer } from "./cursor.ts";

describe("bytes", () => {
  it.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ])("encodes %j as RFC 4648 §10 does", (text, base64) => {
    expect(b.toBase64(b.utf8(text))).toBe(base64);
    expect(b.fromUtf8(b.fromBase64(base64))).toBe(text);
    expect(b.fromUtf8(b.fromBase64Url(b.toBase64Url(b.utf8(text))))).toBe(text);
  });

  it.each(["Zg", "Zh==", "Zg= =", "Z", "Zg==\n", "Zm9v====", "*"])("refuses %j as base64", (text) => {
    expect(() => b.fromBase64(text)).toThrow(b.EncodingError);
  });

  it.each(["Zg==", "Zh", "Z", "Zm9v+", "a b"])("refuses %j as base64url", (text) => {
    expect(() => b.fromBase64Url(text)).toThrow(b.EncodingError);
  });

  it.each(["0", "0g", " 00"])("refuses %j as hex", (text) => {
    expect(() => b.fromHex(text)).toThrow(b.EncodingError);
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(() => b.fromUtf8(Uint8Array.of(0xc3, 0x28))).toThrow(b.EncodingError);
  });

  it("keeps a byte order mark: without it, two texts would have one spelling", () => {
    expect(b.fromUtf8(b.fromHex("efbbbf41"))).toBe("\ufeffA");
  });

  it("compares by content and length", () => {
    expect(b.equalBytes(b.fromHex("00ff"), b.fromHex("00FF"))).toBe(true);
    expect(b.equalBytes(b.fromHex("00ff"), b.fromHex("00fe"))).toBe(false);
    expect(b.equalBytes(b.fromHex("00ff"), b.fromHex("00"))).toBe(false);
    expect(b.equalBytes(b.fromHex("00"), b.fromHex("00ff"))).toBe(false);
    expect(b.equalBytes(b.fromHex(""), b.fromHex("00"))).toBe(false);
  });

  it("copies only the viewed part of a buffer", () => {
    const view = new DataView(b.fromHex("00112233").buffer, 1, 2);
    expect(b.toHex(b.copyBytes(view))).toBe("1122");
  });
});

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

describe("a fixed structure", () => {
  it("is written and read in the order of its fields", () => {
    const bytes = new Writer().u8(0xab).u16le(0x1234).u16be(0x1234).raw(fromHex("0708")).bytes();
    expect(toHex(bytes)).toBe("ab341212340708");
    const reader = new Reader(bytes);
    expect([reader.u8(), reader.u16le(), reader.remaining]).toEqual([0xab, 0x1234, 4]);
    expect([toHex(reader.take(2)), toHex(reader.rest()), reader.remaining]).toEqual(["1234", "0708", 0]);
  });

  it.each([
    [0, "0000000000000000"],
    [256, "0000000000000100"],
    [2 ** 32, "0000000100000000"],
    [Number.MAX_SAFE_INTEGER, "001fffffffffffff"],
  ])("has %i in eight bytes as %s", (value, hex) => {
    expect(toHex(new Writer().u64be(value).bytes())).toBe(hex);
  });

  it.each<[string, (writer: Writer) => Writer]>([
    ["256 in one byte", (writer) => writer.u8(256)],
    ["-1 in one byte", (writer) => writer.u8(-1)],
    ["half a byte", (writer) => writer.u8(0.5)],
    ["65536 in two bytes", (writer) => writer.u16le(65_536)],
    ["65536 in two bytes, the other way round", (writer) => writer.u16be(65_536)],
    ["2^53 in eight bytes", (writer) => writer.u64be(2 ** 53)],
    ["-1 in eight bytes", (writer) => writer.u64be(-1)],
  ])("has no room for %s", (_what, write) => {
    expect(() => write(new Writer())).toThrow(RangeError);
  });

  it("that ends too early or goes on says so", () => {
    expect(() => new Reader(fromHex("01")).u16le()).toThrow(new CursorError("short"));
    expect(() => new Reader(fromHex("01")).take(2)).toThrow(new CursorError("short"));
    expect(() => new Reader(fromHex("01")).end()).toThrow(new CursorError("surplus"));
    expect(() => new Reader(fromHex("")).end()).not.toThrow();
  });

  it("owns what it gives", () => {
    const bytes = fromHex("0102");
    const taken = new Reader(bytes).take(2);
    bytes.fill(0);
    expect(toHex(taken)).toBe("0102");
  });
});

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
