import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "./bytes.ts";
import { CursorError, Reader, Writer } from "./cursor.ts";

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
