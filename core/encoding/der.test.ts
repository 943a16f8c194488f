import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "./bytes.ts";
import {
  bits,
  contentOf,
  DER_TAG,
  DerError,
  der,
  ecdsaSignature,
  oid,
  oidOf,
  onlyValue,
  rawSignature,
  readValues,
  time,
  unsigned,
  unsignedOf,
  valuesOf,
} from "./der.ts";

const only = (hex: string) => onlyValue(fromHex(hex));

describe("values", () => {
  it.each([
    ["020100", "00"],
    ["02017f", "7f"],
    ["02020080", "80"],
    ["0203010000", "010000"],
  ])("the unsigned INTEGER %s is %s", (hex, magnitude) => {
    expect(toHex(unsignedOf(only(hex)))).toBe(magnitude);
  });

  it.each(["0200", "020180", "0202007f", "02020000", "0301ff"])("%s is no unsigned INTEGER", (hex) => {
    expect(() => unsignedOf(only(hex))).toThrow(DerError);
  });

  it.each([
    ["0603551d0f", "2.5.29.15"],
    ["06082a8648ce3d040302", "1.2.840.10045.4.3.2"],
    ["060a2b06010401868d1f0101", "1.3.6.1.4.1.99999.1.1"],
    ["06028837", "2.999"],
    ["060100", "0.0"],
    ["060127", "0.39"],
    ["06014f", "1.39"],
    ["060150", "2.0"],
  ])("the object identifier %s is %s", (hex, text) => {
    expect(oidOf(only(hex))).toBe(text);
  });

  it.each(["0600", "06019d", "0603800101", "060a2affffffffffffffff7f"])(
    "%s is no object identifier",
    (hex) => {
      expect(() => oidOf(only(hex))).toThrow(DerError);
    },
  );

  it("says which type it wanted by refusing another", () => {
    expect(() => contentOf(only("0500"), DER_TAG.SEQUENCE)).toThrow(DerError);
    expect(() => contentOf(undefined, DER_TAG.SEQUENCE)).toThrow(DerError);
    expect(() => valuesOf(only("30020500"), DER_TAG.SET)).toThrow(DerError);
    expect(() => onlyValue(fromHex("05000500"))).toThrow(DerError);
  });

  it.each(["1f01aa", "3f00", "1f8101"])("with a long tag are not read: %s", (hex) => {
    expect(() => readValues(fromHex(hex))).toThrow(DerError);
  });

  it("reads nothing from nothing", () => {
    expect(readValues(new Uint8Array(0))).toEqual([]);
  });
});

describe("an ECDSA signature", () => {
  const [long, high, short] = ["7f".repeat(32), "ff".repeat(32), "11".repeat(31)];
  it.each([
    ["as long as the curve", 32, `30440220${long}0220${long}`, long + long],
    ["with sign bytes", 32, `3046022100${high}022100${high}`, high + high],
    ["with an r of 31 bytes", 32, `3043021f${short}0220${long}`, `00${short}${long}`],
    ["with an s of 31 bytes", 32, `30430220${long}021f${short}`, `${long}00${short}`],
    ["of two small numbers", 32, "3006020101020102", `${"00".repeat(31)}01${"00".repeat(31)}02`],
    ["of two small numbers on P-384", 48, "3006020101020102", `${"00".repeat(47)}01${"00".repeat(47)}02`],
  ])("%s is r‖s, each of the curve's length", (_what, size, der, raw) => {
    expect(toHex(rawSignature(fromHex(der), size))).toBe(raw);
  });

  it.each([
    ["an r longer than the curve", `304502217f${long}0220${long}`],
    ["an s longer than the curve", `30450220${long}02217f${long}`],
    ["a third number", "3009020101020102020103"],
    ["one number", "3003020101"],
    ["a negative number", "3006020181020102"],
    ["something behind it", "30060201010201020500"],
  ])("with %s is refused", (_what, der) => {
    expect(() => rawSignature(fromHex(der), 32)).toThrow(DerError);
  });
});

/** What the writer writes, the strict reader reads; the expected bytes are X.690's. */

describe("the DER writer", () => {
  it.each([
    [0, "0400"],
    [0x7f, "047f"],
    [0x80, "048180"],
    [0xff, "0481ff"],
    [0x100, "04820100"],
    [0xffff, "0482ffff"],
  ])("says the length of %i bytes in the shortest way", (length, head) => {
    const value = der(DER_TAG.OCTET_STRING, new Uint8Array(length));
    expect(toHex(value.subarray(0, value.length - length))).toBe(head);
    expect(onlyValue(value).content).toHaveLength(length);
  });

  it("writes nothing that the reader would not read", () => {
    expect(() => der(DER_TAG.OCTET_STRING, new Uint8Array(0x10000))).toThrow(DerError);
  });

  it.each([
    ["00", "020100"],
    ["0000", "020100"],
    ["007f", "02017f"],
    ["80", "02020080"],
    ["0100", "02020100"],
  ])("writes the unsigned integer %s without padding, and positive", (magnitude, expected) => {
    expect(toHex(unsigned(fromHex(magnitude)))).toBe(expected);
  });

  it.each(["2.5.29.15", "1.2.840.10045.4.3.2", "1.3.6.1.4.1.99999.1.1", "2.999", "0.0", "1.39", "2.16384"])(
    "writes the object identifier %s",
    (text) => {
      expect(oidOf(onlyValue(oid(text)))).toBe(text);
    },
  );

  it("counts the unused bits of a bit string", () => {
    expect(toHex(bits(fromHex("80"), 7))).toBe("03020780");
  });

  it.each([
    ["2049-12-31T23:59:59.999Z", "170d3439313233313233353935395a"],
    ["2050-01-01T00:00:00.000Z", "180f32303530303130313030303030305a"],
  ])("writes %s as RFC 5280 says", (text, expected) => {
    expect(toHex(time(new Date(text)))).toBe(expected);
  });

  it("writes a signature whose numbers are short or negative as integers, and the reader gives it back", () => {
    const raw = fromHex(`${"00".repeat(31)}01${"ff".repeat(32)}`);
    const signature = ecdsaSignature(raw.buffer);
    expect(toHex(signature)).toBe(`30260201010221${"00"}${"ff".repeat(32)}`);
    expect(rawSignature(signature, 32)).toEqual(raw);
  });
});
