import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import { decodeMessage1, encodeIdentifier } from "./messages.ts";
import { codeOf } from "./test-support/parties.ts";

/** message_1 in suite 6 with this C_I, as it travels. */
const withIdentifier = (cI: string) => fromHex(`0006${"5820"}${"09".repeat(32)}${cI}`);

describe("an identifier", () => {
  it.each(["00", "17", "20", "37"])(
    "%s is the encoding of an integer and travels as that alone",
    async (byte) => {
      expect(toHex(encodeIdentifier(fromHex(byte)))).toBe(byte);
      expect(toHex(decodeMessage1(withIdentifier(byte)).cI)).toBe(byte);
      expect(await codeOf(() => decodeMessage1(withIdentifier(`41${byte}`)))).toBe("MESSAGE");
    },
  );

  it.each(["18", "1f", "38", "3f", "40", "ff"])(
    "%s is the encoding of none and travels as a byte string",
    (byte) => {
      expect(toHex(encodeIdentifier(fromHex(byte)))).toBe(`41${byte}`);
      expect(toHex(decodeMessage1(withIdentifier(`41${byte}`)).cI)).toBe(`41${byte}`);
    },
  );

  it.each(["", "0001", "2020"])("of another length than one, '%s', travels as a byte string", (bytes) => {
    const travels = `4${bytes.length / 2}${bytes}`;
    expect(toHex(encodeIdentifier(fromHex(bytes)))).toBe(travels);
    expect(toHex(decodeMessage1(withIdentifier(travels)).cI)).toBe(travels);
  });

  it.each(["1818", "3818"])("is no integer of two bytes: %s", async (integer) => {
    expect(await codeOf(() => decodeMessage1(withIdentifier(integer)))).toBe("MESSAGE");
  });
});
