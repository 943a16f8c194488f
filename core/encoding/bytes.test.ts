import { describe, expect, it } from "vitest";
import * as b from "./bytes.ts";

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
