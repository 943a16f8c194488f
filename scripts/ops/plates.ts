import { asc } from "drizzle-orm";
import { plateRanges } from "../../db/schema.ts";
import { WordsError } from "../../kit/command-line.ts";
import { AIRLINE, type Commands, matching, wholeNumber } from "./command.ts";

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
  "plates list": {
    summary: "show the ranges of licence plates, and where each goes on",
    database: "read",
    async run({ db, show }) {
      const rows = await db.select().from(plateRanges).orderBy(asc(plateRanges.airline));
      const plate = (row: (typeof rows)[number], serial: number) =>
        `${row.leading}${row.issuer}${String(serial).padStart(6, "0")}`;
      show(
        rows.map((row) => {
          const { airline, firstSerial, lastSerial, nextSerial } = row;
          const [first, last, next] = [firstSerial, lastSerial, nextSerial].map((serial) =>
            plate(row, serial),
          );
          return { airline, first, last, next };
        }),
      );
    },
  },
} satisfies Commands;
