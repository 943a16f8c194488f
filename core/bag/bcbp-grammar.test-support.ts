/**
 * Boarding passes by the grammar of Resolution 792, column by column: what may stand in every field, what may not, and
 * what the whole says. Written from the table of fields, not from the reader.
 */
import fc from "fast-check";
import type { BagTagRange, BoardingPass, BoardingPassLeg } from "./bcbp.ts";

/** The text of some columns of a pass, in a row. */
export interface Part {
  readonly name: string;
  readonly text: string;
  /** In a block, or behind the last: no content there refuses a pass. */
  readonly isConditional?: true;
  /** Characters that may stand in none of its columns. */
  readonly never: string;
  /** As long as `text`, of characters that may stand there, and yet no such field. */
  readonly wrong: readonly string[];
}

export interface PrintedPass {
  readonly parts: readonly Part[];
  readonly meant: BoardingPass;
  /** When it is scanned, in milliseconds since 1970. */
  readonly now: number;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const word = (unit: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength });
const letters = (minLength: number, maxLength?: number) => word(LETTERS, minLength, maxLength);
const digits = (length: number) => word(DIGITS, length);

/** Characters no field of letters, digits and spaces has. */
const SIGNS = "a-/>^é\u0000\n";
const part = (name: string, text: string, never = SIGNS, wrong: readonly string[] = []): Part => ({
  name,
  text,
  never,
  wrong,
});
const hex = (length: number) => length.toString(16).toUpperCase().padStart(2, "0");
const size = (length: number) => part("size", hex(length), "G ag-", []);
const conditional = (name: string, text: string): Part => ({
  ...part(name, text, ""),
  isConditional: true,
});

const DAY = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayOfYear = (time: number) =>
  String((time - Date.UTC(new Date(time).getUTCFullYear(), 0, 0)) / DAY).padStart(3, "0");

/** The day without the zeros before it, as some print it. */
const shortDays = (time: number) => {
  const day = String(Number(dayOfYear(time)));
  return [day.padEnd(3), day.padStart(3)];
};

interface Leg {
  readonly says: BoardingPassLeg;
  readonly parts: readonly Part[];
}

/** A leg's 35 columns before the length of its block; `departs` is midnight of its day, UTC. */
const legOf = (departs: number): fc.Arbitrary<Leg> =>
  fc
    .record({
      recordLocator: word(LETTERS + DIGITS, 5, 7),
      from: letters(3),
      to: letters(3),
      carrier: fc.oneof(letters(2, 3), word(LETTERS + DIGITS, 2)),
      number: fc.tuple(digits(4), letters(0, 1)).map((two) => two.join("")),
      rest: fc.tuple(letters(1), word(`${LETTERS}${DIGITS} `, 4), word(`${DIGITS} `, 5), digits(1)),
      day: fc.constantFrom(dayOfYear(departs), ...shortDays(departs)),
      isSmall: fc.boolean(),
    })
    .map(({ rest: [compartment, seat, sequence, status], day, isSmall, ...says }) => ({
      says: { ...says, date: dayOf(departs) },
      parts: [
        part(
          "record locator",
          (isSmall ? says.recordLocator.toLowerCase() : says.recordLocator).padEnd(7),
          "-/>^é\u0000\n",
          ["ABCD   ", "ABC 123", " ABC123", "       "],
        ),
        part("from", says.from, "1 a/", []),
        part("to", says.to, "1 a/", []),
        part("carrier", says.carrier.padEnd(3), SIGNS, ["S  ", " SK", "   "]),
        part("flight number", says.number.padEnd(5), SIGNS, ["123  ", "12A4 ", " 1234", "12345", "     "]),
        part("day", day, "A-", ["000", "367", "999", "   ", "1 2", "00 "]),
        part("compartment", compartment),
        part("seat", seat),
        part("sequence", sequence),
        part("status", status),
      ],
    }));

/** As many of `fields` as the airline prints. */
const some = (fields: fc.Arbitrary<readonly Part[]>): fc.Arbitrary<readonly Part[]> =>
  fc.tuple(fields, fc.nat(10)).map(([parts, count]) => parts.slice(0, count));
const absentOr = (value: fc.Arbitrary<string>) =>
  value.chain((text) => fc.constantFrom(text, " ".repeat(text.length)));

const lengthOf = (parts: readonly Part[]) => parts.reduce((length, { text }) => length + text.length, 0);
const measured = (parts: readonly Part[], length = size) => [length(lengthOf(parts)), ...parts];
const inner = (length: number) => conditional("inner size", hex(length));

interface Tag {
  readonly text: string;
  readonly says: readonly BagTagRange[];
}
const bagTag: fc.Arbitrary<Tag> = fc.oneof(
  fc.constant({ text: " ".repeat(13), says: [] }),
  fc
    .tuple(fc.integer({ min: 1, max: 9_999_999_999 }), fc.integer({ min: 0, max: 999 }))
    .map(([plate, count]) => {
      const licencePlate = String(plate).padStart(10, "0");
      return {
        text: licencePlate + String(count).padStart(3, "0"),
        says: count === 0 ? [] : [{ licencePlate, count }],
      };
    }),
);

interface Shared {
  readonly parts: readonly Part[];
  readonly bagTags: readonly BagTagRange[];
  readonly issued: boolean;
}

/** What the first block begins with: once per pass. `issued` is midnight of the day of issue, UTC. */
const sharedOf = (issued: number): fc.Arbitrary<Shared> =>
  fc
    .record({
      version: fc.constantFrom(..."123456789"),
      odds: fc.tuple(word(`${LETTERS}${DIGITS} `, 1), absentOr(letters(1)), absentOr(letters(1))),
      date: absentOr(fc.constant(`${new Date(issued).getUTCFullYear() % 10}${dayOfYear(issued)}`)),
      document: fc.tuple(absentOr(letters(1)), absentOr(letters(2, 3).map((code) => code.padEnd(3)))),
      tags: fc.tuple(bagTag, bagTag, bagTag),
      count: fc.nat(9),
    })
    .map(({ version, odds, date, document: [type, issuer], tags, count }) => {
      const fields = [
        ...odds.map((text) => conditional("odds", text)),
        conditional("date of issue", date),
        conditional("document type", type),
        conditional("issuer", issuer),
        ...tags.map(({ text }) => conditional("bag tag", text)),
      ].slice(0, count);
      return {
        parts: [conditional("sign", ">"), conditional("version", version), ...measured(fields, inner)],
        bagTags: tags.slice(0, Math.max(0, count - 6)).flatMap(({ says }) => says),
        issued: count > 3 && date.trim() !== "",
      };
    });

/** What every block may have of its own leg. */
const own = some(
  fc
    .tuple(
      absentOr(digits(3)),
      absentOr(word(LETTERS + DIGITS, 10)),
      absentOr(digits(1)),
      absentOr(digits(1)),
      absentOr(letters(3)),
      absentOr(letters(3)),
      absentOr(word(`${LETTERS}${DIGITS}*#~`, 16)),
      absentOr(letters(1)),
      absentOr(fc.constantFrom("1PC", "20K")),
      fc.constantFrom("Y", "N", " "),
    )
    .map((texts) => texts.map((text) => conditional("of the leg", text))),
);

/** The airline's private columns. */
const privately = fc
  .string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)), maxLength: 30 })
  .map((text) => (text === "" ? [] : [conditional("private", text)]));

/** A leg's block with its length before it: nothing, or what all passengers' legs share, or the leg's own as well. */
const blockOf = (shared: readonly Part[]) =>
  fc.tuple(fc.constantFrom("none", "shared", "own"), own, privately).map(([reach, ofLeg, rest]) => {
    if (reach === "none") return { parts: measured([]), hasShared: false };
    const beyond = reach === "shared" && shared.length > 0 ? [] : [...measured(ofLeg, inner), ...rest];
    return { parts: measured([...shared, ...beyond]), hasShared: shared.length > 0 };
  });

const signature = fc
  .tuple(fc.constantFrom("1", "A", " "), privately)
  .map(([type, content]) => [
    conditional("signature", "^"),
    conditional("signature's type", type),
    ...measured(content, inner),
  ]);

const name = fc
  .tuple(letters(1, 12), fc.constantFrom("", "/"), letters(0, 7))
  .map(([surname, slash, given]) => ({
    text: (surname + (slash && `/${given}`)).padEnd(20),
    says: { surname, ...(slash !== "" && given !== "" ? { givenName: given } : {}) },
  }));

/** Days from `from` on, as midnight UTC: `nearest` before and after it, or `ahead` after it. */
const daysFrom = (from: number, min: number, max: number) =>
  fc.integer({ min, max }).map((days) => (Math.floor(from / DAY) + days) * DAY);

const passAt = (now: number): fc.Arbitrary<PrintedPass> =>
  fc
    .record({ issued: daysFrom(now, -300, 0), dated: fc.boolean(), count: fc.integer({ min: 1, max: 4 }) })
    .chain(({ issued, dated, count }) => {
      // A pass with a date of issue is for flights from then on; one without, for flights around the day it is seen.
      const departs = dated ? daysFrom(issued, 0, 330) : daysFrom(now, -150, 150);
      return fc
        .record({
          name,
          ticket: fc.constantFrom("E", " "),
          shared: sharedOf(issued).filter((one) => one.issued === dated),
          legs: fc.array(departs.chain(legOf), { minLength: count, maxLength: count }),
          blocks: fc.array(blockOf([]), { minLength: count - 1, maxLength: count - 1 }),
          signed: fc.option(signature, { nil: [] }),
        })
        .chain((made) =>
          blockOf(made.shared.parts)
            .filter(({ hasShared }) => hasShared || !dated)
            .map((first) => printed(now, made, first)),
        );
    });

interface Made {
  readonly name: { readonly text: string; readonly says: Pick<BoardingPass, "surname" | "givenName"> };
  readonly ticket: string;
  readonly shared: Shared;
  readonly legs: readonly Leg[];
  readonly blocks: readonly { readonly parts: readonly Part[] }[];
  readonly signed: readonly Part[];
}

function printed(
  now: number,
  { name, ticket, shared, legs, blocks, signed }: Made,
  first: { readonly parts: readonly Part[]; readonly hasShared: boolean },
): PrintedPass {
  return {
    now,
    parts: [
      part("format", "M", "m1 N", []),
      part("legs", String(legs.length), "0A -", []),
      part("name", name.text, "0a_é,", [" DOE/JOHN           ", "/JOHN               "]),
      part("ticket", ticket, "eA1-", []),
      ...legs.flatMap(({ parts }, i) => [...parts, ...((i === 0 ? first : blocks[i - 1])?.parts ?? [])]),
      ...signed,
    ],
    meant: {
      ...name.says,
      legs: legs.map(({ says }) => says),
      bagTags: first.hasShared ? shared.bagTags : [],
    },
  };
}

/** A pass scanned on any day of twenty years. */
export const anyPass: fc.Arbitrary<PrintedPass> = fc
  .integer({ min: Date.UTC(2019, 0), max: Date.UTC(2039, 0) })
  .chain(passAt);

export const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join("");
