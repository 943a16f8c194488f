import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import { PROFILE, TAG_STATE } from "./profile.ts";
import {
  decodeBattery,
  decodeId,
  decodeInfo,
  decodeStatus,
  encodeId,
  encodeInfo,
  encodeStatus,
  type Info,
  type Status,
  statusName,
  ValueError,
} from "./values.ts";

const INFO: Info = {
  versionMax: 21,
  versionMin: 20,
  caps: { suite6: true, suite3: true, statement: false, button: false },
  frame: 244,
  maxMessage: 4096,
  state: "CONNECTED",
  flags: { lowBattery: false, displayBlank: true },
  battery: 88,
};
const STATUS_VALUE: Status = {
  state: "COMMITTED",
  code: "COMMITTED",
  detail: 0,
  battery: 88,
  display: "LABEL",
  markPrefix: fromHex("0102030405060708"),
};

const NO_CAPS = { suite6: false, suite3: false, statement: false, button: false };

describe("INFO", () => {
  it("is eleven bytes, little endian, versions in decimal", () => {
    expect(toHex(encodeInfo(INFO))).toBe("15140300f4000010010258");
    expect(decodeInfo(fromHex("15140300f4000010010258"))).toEqual(INFO);
  });

  it.each(Object.entries(TAG_STATE))("knows the state %s as %i", (name, number) => {
    const bytes = fromHex("15140300f4000010000258");
    bytes[8] = number;
    expect(decodeInfo(bytes).state).toBe(name);
  });

  it.each(["suite6", "suite3", "statement", "button"] as const)("has a bit of its own for %s", (name) => {
    const caps = { ...NO_CAPS, [name]: true };
    expect(decodeInfo(encodeInfo({ ...INFO, caps })).caps).toEqual(caps);
  });

  it.each(["lowBattery", "displayBlank"] as const)("has a bit of its own for %s", (name) => {
    const flags = { lowBattery: false, displayBlank: false, [name]: true };
    expect(decodeInfo(encodeInfo({ ...INFO, flags })).flags).toEqual(flags);
  });

  it("ignores capability and flag bits of later firmware", () => {
    expect(decodeInfo(fromHex("1514e3fff400001001fe58"))).toEqual({
      ...INFO,
      flags: { lowBattery: false, displayBlank: true },
    });
  });

  it("ends with the hash of the intermediate that the tag knows, and the id, where they are", () => {
    const intermediate = fromHex("0102030405060708");
    const both = { ...INFO, intermediate, id: "ebt-1" };
    expect(toHex(encodeInfo(both))).toBe("15141300f400001001025801020304050607086562742d31");
    for (const info of [both, { ...INFO, intermediate }, { ...INFO, id: "ebt-1" }])
      expect(decodeInfo(encodeInfo(info))).toEqual(info);
    expect(() => encodeInfo({ ...INFO, intermediate: intermediate.slice(1) })).toThrow(ValueError);
    expect(() => decodeInfo(encodeInfo({ ...INFO, id: "x".repeat(65) }))).toThrow(ValueError);
  });

  it.each([
    ["2.0 alone", "14140300f4000010010258", 20],
    ["2.1 alone", "15150300f4000010010258", 21],
  ])("may be of a tag that speaks %s", (_what, hex, version) => {
    expect(decodeInfo(fromHex(hex))).toMatchObject({ versionMax: version, versionMin: version });
  });

  it.each([
    ["is one byte short", "15140300f40000100102"],
    ["has a battery over 100", "15140300f4000010010265"],
    ["announces a hash that is not whole", "15141300f400001001025801020304050607"],
    ["is empty", ""],
    ["has an unknown state", "15140300f40000100a0258"],
    ["has its versions reversed", "14150300f4000010010258"],
  ])("is refused when it %s", (_what, hex) => {
    expect(() => decodeInfo(fromHex(hex))).toThrow(ValueError);
  });
});

describe("STATUS", () => {
  it("is thirteen bytes", () => {
    expect(toHex(encodeStatus(STATUS_VALUE))).toBe("08020058010102030405060708");
    expect(decodeStatus(fromHex("08020058010102030405060708"))).toEqual(STATUS_VALUE);
  });

  it.each([
    ["is one byte short", "080200580101020304050607"],
    ["is one byte long", "0802005801010203040506070800"],
    ["has an unknown state", "0a020058010102030405060708"],
    ["has an unknown code", "08040058010102030405060708"],
    ["has a battery over 100", "08020065010102030405060708"],
    ["has an unknown display", "08020058030102030405060708"],
  ])("is refused when it %s", (_what, hex) => {
    expect(() => decodeStatus(fromHex(hex))).toThrow(ValueError);
  });

  it("is not written with a digest prefix of another length", () => {
    expect(() => encodeStatus({ ...STATUS_VALUE, markPrefix: new Uint8Array(7) })).toThrow(ValueError);
  });

  it("has a name for a code, and none for an unassigned one", () => {
    expect(statusName(2)).toBe("COMMITTED");
    expect([4, 15, 21, 38, 56, 68, 81, 255].map(statusName)).toEqual(new Array(8).fill(undefined));
  });
});

describe("ID", () => {
  it("is UTF-8 text of 1 to 64 bytes", () => {
    expect(decodeId(encodeId("ebt-21-0001"))).toBe("ebt-21-0001");
    expect(decodeId(encodeId("ä".repeat(32)))).toBe("ä".repeat(32));
    expect(() => decodeId(new Uint8Array())).toThrow(ValueError);
    expect(() => decodeId(encodeId("x".repeat(65)))).toThrow(ValueError);
    expect(() => decodeId(fromHex("ff"))).toThrow();
  });
});

describe("the battery level", () => {
  it("is one byte of per cent", () => {
    expect([decodeBattery(fromHex("00")), decodeBattery(fromHex("64"))]).toEqual([0, 100]);
    for (const hex of ["", "65", "0064"]) expect(() => decodeBattery(fromHex(hex))).toThrow(ValueError);
  });
});

describe("the profile", () => {
  const rows = Object.entries(PROFILE.characteristics);

  it("numbers its characteristics from the service on, without a gap", () => {
    const service = Number.parseInt(PROFILE.service.slice(0, 8), 16);
    const numbers = rows.map(([, { uuid }]) => Number.parseInt(uuid.slice(0, 8), 16) - service);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(rows.map(([, { uuid }]) => uuid.slice(8)))).toEqual(new Set([PROFILE.service.slice(8)]));
  });

  it("has no readable characteristic that carries ticket data, tokens or certificates", () => {
    const unreadable = rows.filter(([, { read }]) => !read).map(([name]) => name);
    expect(unreadable).toEqual(["CERT", "AUTH", "DATA"]);
  });

  it("depends on no notification but that of STATUS", () => {
    expect(rows.filter(([, { notify }]) => notify).map(([name]) => name)).toEqual(["STATUS"]);
  });
});
