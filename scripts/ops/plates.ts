import { plateRanges } from "../../db/schema.ts";
import { WordsError } from "../../kit/command-line.ts";
import { AIRLINE, type Commands, listing, matching, wholeNumber } from "./command.ts";

const SERIAL = wholeNumber("serial", 0, 999_999);

export const plateCommands = {
  /** `plates set`: the licence plates the service may give to an airline's bags (rules §4). */
  "plates set": {
    summary: "give an airline a range of licence plates, or another one; counting begins at its first",
    database: "write",
    options: {
      airline: { ...AIRLINE, required: true, help: "two characters" },
      issuer: {
        ...matching("digits", /^\d{3}$/, "is three digits, such as 117"),
        required: true,
        help: "three-digit numeric code: 117 is SK",
      },
      leading: { ...wholeNumber("digit", 0, 9), help: "first digit of the plate (default 0)" },
      first: { ...SERIAL, required: true, help: "0 to 999999" },
      last: { ...SERIAL, required: true, help: "0 to 999999" },
    },
    async run({ one, number, db, print }) {
      const [firstSerial, lastSerial] = [number("first"), number("last")];
      if (firstSerial > lastSerial) throw new WordsError("--first and --last are serials in order");
      const range = {
        leading: number("leading", 0),
        issuer: one("issuer"),
        firstSerial,
        lastSerial,
        nextSerial: firstSerial,
      };
      await db
        .insert(plateRanges)
        .values({ airline: one("airline"), ...range })
        .onConflictDoUpdate({ target: plateRanges.airline, set: range });
      print(`plates of ${one("airline")}: ${lastSerial - firstSerial + 1}`);
    },
  },
  "plates list": listing(
    "show the ranges of licence plates, and where each goes on",
    plateRanges,
    [plateRanges.airline],
    ({ airline, leading, issuer, firstSerial, lastSerial, nextSerial }) => {
      const plate = (serial: number) => `${leading}${issuer}${String(serial).padStart(6, "0")}`;
      return { airline, first: plate(firstSerial), last: plate(lastSerial), next: plate(nextSerial) };
    },
  ),
} satisfies Commands;
