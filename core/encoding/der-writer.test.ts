import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "./bytes.ts";
import { DER_TAG, DerError, oidOf, onlyValue, rawSignature } from "./der.ts";
import { bits, der, ecdsaSignature, oid, time, unsigned } from "./der-writer.ts";

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
