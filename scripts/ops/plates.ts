import { plateRanges } from "../../db/schema.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** `plates set`: the licence plates the service may give to an airline's bags (rules §4). */
export const setPlates: Command = {
  name: "plates set",
  summary: "give an airline a range of licence plates, or another one; counting begins at its first",
  database: "write",
  options: {
    airline: { value: "code", required: true, help: "two characters" },
    issuer: { value: "digits", required: true, help: "three-digit numeric code: 117 is SK" },
    leading: { value: "digit", help: "first digit of the plate (default 0)" },
    first: { value: "serial", required: true, help: "0 to 999999" },
    last: { value: "serial", required: true, help: "0 to 999999" },
  },
  async run({ one, number, db, print }) {
    const [firstSerial, lastSerial] = [number("first"), number("last")];
    if (!(0 <= firstSerial && firstSerial <= lastSerial && lastSerial <= 999_999))
      throw new UsageError("--first and --last are serials in order, 0 to 999999");
    const leading = number("leading", 0);
    if (!/^\d{3}$/.test(one("issuer")) || !(leading >= 0 && leading <= 9))
      throw new UsageError("--issuer is three digits, --leading one");
    const range = { leading, issuer: one("issuer"), firstSerial, lastSerial, nextSerial: firstSerial };
    await db
      .insert(plateRanges)
      .values({ airline: one("airline"), ...range })
      .onConflictDoUpdate({ target: plateRanges.airline, set: range });
    print(`plates of ${one("airline")}: ${lastSerial - firstSerial + 1}`);
  },
};
