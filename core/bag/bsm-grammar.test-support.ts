/**
 * Baggage source messages by the grammar of RP 1745, line by line: what each line says, and in which ways it is spoilt.
 * Written from the table of elements, not from the reader.
 */
import fc from "fast-check";
import type { BaggageMessage } from "./bsm.ts";
import type { BsmFlight } from "./bsm-elements.ts";

export interface Line {
  readonly text: string;
  /** The same line with one thing wrong in it. */
  readonly wrong: readonly string[];
}

export interface PrintedMessage {
  /** From `BSM` to `ENDBSM`. */
  readonly lines: readonly Line[];
  readonly meant: Omit<BaggageMessage, "line">;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const word = (unit: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength });
const letters = (minLength: number, maxLength?: number) => word(LETTERS, minLength, maxLength);
const printable = fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code));

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAY = 86_400_000;

/** A line, some of what it says, and what is wrong where one of its fields is one of `spoilt`. */
function lineOf(letter: string, fields: readonly string[], spoilt: readonly (readonly string[])[]): Line {
  const text = `.${letter}/${fields.join("/")}`;
  const wrong = spoilt.flatMap((values, i) =>
    values.map((value) => `.${letter}/${fields.with(i, value).join("/")}`),
  );
  return {
    text,
    wrong: [
      ...wrong,
      text.slice(1),
      text.toLowerCase(),
      ` ${text}`,
      `.${letter}/`,
      `.${letter}`,
      `${text}\u0007`,
    ],
  };
}

interface Said<Meaning> {
  readonly line: Line;
  readonly says: Meaning;
}

/** Of a flight within five months of `now`: `.I`, `.F` or `.O`. */
const flightAt =
  (now: number) =>
  (letter: string): fc.Arbitrary<Said<BsmFlight>> =>
    fc
      .record({
        carrier: fc.oneof(
          letters(2, 3),
          fc.tuple(letters(1), word(DIGITS, 1)).map((two) => two.join("")),
        ),
        digits: word(DIGITS, 1, 4),
        suffix: letters(0, 1),
        airport: letters(3),
        travelClass: letters(0, 1),
        days: fc.integer({ min: -150, max: 150 }),
      })
      .map(({ carrier, digits, suffix, airport, travelClass, days }) => {
        const number = digits + suffix;
        const date = new Date((Math.floor(now / DAY) + days) * DAY).toISOString().slice(0, 10);
        const day = date.slice(8) + MONTHS[Number(date.slice(5, 7)) - 1];
        const said = [carrier + number, day, airport, ...(travelClass === "" ? [] : [travelClass])];
        const spoilt = [
          ["SK", "1234", "SK12345", "S1A34567", "", "SKXX1", "SK12BB"],
          ["3MAY", "00MAY", "32MAY", "31APR", "30FEB", "03XXX", "0305", "03MAY27", ""],
          ["AR", "ARNN", "AR1", ""],
          ["YY", "1", "-"],
        ].slice(0, said.length);
        const line = lineOf(letter, said, spoilt);
        return {
          line: {
            ...line,
            wrong: [...line.wrong, `.${letter}/${[...said.slice(0, 3), "Y", "SURPLUS"].join("/")}`],
          },
          says: { carrier, number, date, airport, ...(travelClass === "" ? {} : { travelClass }) },
        };
      });

/** `.N` lines of carriers of their own, so that no plate comes twice. */
const plates: fc.Arbitrary<readonly Said<readonly string[]>[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 9_999 }), { minLength: 1, maxLength: 3 })
  .chain((issuers) =>
    fc.tuple(
      ...issuers.map((issuer) =>
        fc.tuple(fc.integer({ min: 1, max: 33 }), fc.nat(999_999)).map(([count, place]) => {
          const prefix = String(issuer).padStart(4, "0");
          const first = Math.max(1, Math.min(place, 1_000_000 - count));
          const serial = (n: number) => prefix + String(n).padStart(6, "0");
          const text = serial(first) + String(count).padStart(3, "0");
          const beyond = `${prefix}999999002`;
          const spoilt = [
            text.slice(1),
            `${text}0`,
            `${serial(first)}000`,
            "0000000000001",
            "A117123456001",
            beyond,
          ];
          return {
            line: lineOf("N", [text], [[...spoilt, `${serial(1)}100`, `${text}/X`]]),
            says: Array.from({ length: count }, (_, n) => serial(first + n)),
          };
        }),
      ),
    ),
  );

const passenger = fc
  .record({ count: word(DIGITS, 0, 3), surname: letters(1, 20), given: letters(0, 12) })
  .map(
    ({ count, surname, given }): Said<{ surname: string; givenName: string; isWhole: boolean }> => ({
      line: lineOf(
        "P",
        [count + surname, given],
        [
          ["", "1234ABC", "-DOE", "DOE1"],
          ["ADA1", "ada", "A_B"],
        ],
      ),
      says: { surname, givenName: given, isWhole: Number(count) < 2 },
    }),
  );

const locator = word(LETTERS + DIGITS, 5, 8).map(
  (text): Said<string> => ({
    line: lineOf("L", [text], [["ABCD", "ABCDEFGHI", "ABC-12", "ABC/12", "ABC 12"]]),
    says: text,
  }),
);
const exception = word(LETTERS + DIGITS, 1, 4).map(
  (text): Said<string> => ({ line: lineOf("E", [text], [["TOOLONG", "A-B"]]), says: text }),
);
const version = (source: string, station: string) =>
  lineOf("V", [`1${source}${station}`], [["1QARN", "LARN", "1LAR", "1LARNX", "1L1RN", "XLARN"]]);
/** Elements whose form alone is checked, or a field of it. */
const others = fc.oneof(
  fc.constantFrom("Y", "N", "").map((load) => lineOf("S", [load, "08A"], [["X", "YN", "1"]])),
  fc.constantFrom("P", "K", "L").map((unit) => lineOf("W", [unit, "1"], [["Q", "PK", ""]])),
  fc
    .tuple(fc.constantFrom(..."DJHBRXGYUQ"), fc.string({ unit: printable, minLength: 1, maxLength: 40 }))
    .filter(([, text]) => text.trim() !== "")
    .map(([letter, text]) => lineOf(letter, [text], [])),
);

const nameOf = ({ says: { surname, givenName } }: Said<{ surname: string; givenName: string }>) => ({
  surname,
  givenName,
});
const namesOf = ([first, ...others]: readonly Said<{ surname: string; givenName: string }>[]) => ({
  ...(first && { passenger: nameOf(first) }),
  ...(others.length > 0 && { companions: others.map(nameOf) }),
});
/** What is ignored: elements whose form alone is checked, and `.P` with fewer names than it counts. */
const ignoredOf = (made: {
  readonly others: readonly Line[];
  readonly passengers: readonly Said<{ isWhole: boolean }>[];
}) => [
  ...new Set([
    ...made.others.map(({ text }) => text.slice(0, 2)).filter((name) => !/[SW]$/.test(name)),
    ...(made.passengers.every(({ says }) => says.isWhole) ? [] : [".P"]),
  ]),
];
/** All plates of the message are in a row. */
const loadingOf = (made: {
  readonly others: readonly Line[];
  readonly plates: readonly Said<readonly string[]>[];
}) => {
  const plates = made.plates.flatMap(({ says }) => says);
  const lines = made.others.flatMap(({ text }) => (/^\.[SW]/.test(text) ? [text.slice(1)] : []));
  return lines.length > 0 && { loading: [{ plates, lines }] };
};
const plain = (text: string): Line => ({ text, wrong: [] });
const many = <T>(one: fc.Arbitrary<T>, maxLength: number) => fc.array(one, { maxLength });

export const messageAt = (now: number): fc.Arbitrary<PrintedMessage> =>
  fc
    .record({
      action: fc.constantFrom("ADD" as const, "CHG" as const, "DEL" as const),
      source: fc.constantFrom("L" as const, "T" as const, "X" as const, "R" as const),
      station: letters(3),
      inbound: fc.option(flightAt(now)("I"), { nil: undefined }),
      outbound: flightAt(now)("F"),
      onward: many(flightAt(now)("O"), 2),
      plates,
      passengers: many(passenger, 2),
      locator: fc.option(locator, { nil: undefined }),
      exceptions: many(exception, 2),
      others: many(others, 3),
    })
    .chain((made) => {
      const lists = [made.onward, made.plates, made.passengers, made.exceptions] as const;
      // Elements of one letter keep their order: it says which is first.
      const groups: readonly (readonly Line[])[] = [
        [made.outbound.line],
        made.inbound === undefined ? [] : [made.inbound.line],
        made.locator === undefined ? [] : [made.locator.line],
        ...lists.map((list) => list.map(({ line }: { readonly line: Line }) => line)),
        made.others,
      ];
      return fc.shuffledSubarray([...groups], { minLength: groups.length }).map((shuffled) => ({
        lines: [
          plain("BSM"),
          ...(made.action === "ADD" ? [] : [plain(made.action)]),
          version(made.source, made.station),
          ...shuffled.flat(),
          plain("ENDBSM"),
        ],
        meant: {
          ...{ action: made.action, source: made.source, station: made.station },
          ...(made.inbound && { inbound: made.inbound.says }),
          flight: made.outbound.says,
          onward: made.onward.map(({ says }) => says),
          plates: made.plates.flatMap(({ says }) => says),
          ...namesOf(made.passengers),
          ...(made.locator && { recordLocator: made.locator.says }),
          exceptions: made.exceptions.map(({ says }) => says),
          ...{ ignored: ignoredOf(made), ...loadingOf(made) },
        },
      }));
    });

/** When a text is read: any moment of twenty years. */
export const anyTime = fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2039, 0) });
