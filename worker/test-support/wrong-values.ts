import type { FieldRow, Fields } from "./request-bodies.ts";

/** Values and bodies no endpoint takes. */

/** A text longer than any field takes, in a body that is not too large. */
const ENDLESS = "A".repeat(15_500);

/** Ways to leave a mandatory field out. */
export const BLANKS: readonly (readonly [name: string, value: unknown])[] = [
  ["absent", undefined],
  ["null", null],
  ["empty", ""],
  ["blank", " \t\r\n"],
];

type Named = readonly [name: string, value: unknown];

const NOT_TEXT: readonly Named[] = [
  ["a number", 7],
  ["zero", 0],
  ["true", true],
  ["false", false],
  ["an array", []],
  ["an array of text", ["x"]],
  ["a record", {}],
  ["a record that looks like text", { length: 1, toString: "x", valueOf: "x" }],
  ["a nesting of 50 arrays", JSON.parse(`${"[".repeat(50)}${"]".repeat(50)}`)],
  ["an endless text", ENDLESS],
];

const NOT_A_LIST: readonly Named[] = [
  ["a text", "x"],
  ["a number", 7],
  ["true", true],
  ["a record", {}],
  ["a record that looks like a list", { 0: {}, length: 1 }],
  ["an empty list", []],
  ["a list of a list", [[]]],
  ["a list of text", ["x"]],
  ["a list of an empty record", [{}]],
  ["a list of 5,000 numbers", Array(5_000).fill(1)],
];

const NOT_A_NUMBER: readonly Named[] = [
  ["a text of digits", "1"],
  ["a word", "one"],
  ["true", true],
  ["an array of it", [1]],
  ["a record", {}],
  ["a fraction", 1.5],
  ["a tiny fraction", 1e-9],
  ["one over int32", 2_147_483_648],
  ["one under int32", -2_147_483_649],
  ["a number beyond all integers", 1e300],
];

const WRONG: Readonly<Record<FieldRow["kind"], readonly Named[]>> = {
  text: NOT_TEXT,
  // As long as the body may be.
  document: NOT_TEXT.filter(([, value]) => value !== ENDLESS),
  list: NOT_A_LIST,
  number: NOT_A_NUMBER,
  count: [...NOT_A_NUMBER, ["zero", 0], ["minus one", -1]],
  degrees: NOT_A_NUMBER.filter(([name]) => !name.includes("fraction")),
  choice: [
    ...NOT_TEXT,
    ["another choice", "other"],
    ["capitals", "WRITE"],
    ["a neighbour", "2.2"],
    ["a member", "toString"],
  ],
  truth: [
    ["the word", "true"],
    ["no", "no"],
    ["one", 1],
    ["zero", 0],
    ["an array of it", [true]],
    ["a record", {}],
  ],
  instant: [
    ...NOT_TEXT,
    ["a day", "2026-01-01"],
    ["no such month", "2026-13-01T00:00:00Z"],
    ["a time without zone", "2026-01-01T00:00:00"],
    ["words", "yesterday"],
  ],
  cursor: [
    ...NOT_TEXT,
    ["one part", "a"],
    ["three parts", "a.b.c"],
    ["capitals", "A.B"],
    ["parts too long for a number", `${"z".repeat(11)}.1`],
    ["SQL", "1.1) or (1"],
  ],
  digest: [
    ...NOT_TEXT,
    ["42 characters", "A".repeat(42)],
    ["44 characters", "A".repeat(44)],
    ["padded", `${"A".repeat(43)}=`],
    ["base64 instead of base64url", `${"A".repeat(42)}+`],
    ["two lines", `${"A".repeat(43)}\n`],
  ],
  octets: [
    ...NOT_TEXT,
    ["10 characters", "A".repeat(10)],
    ["12 characters", "A".repeat(12)],
    ["bits beyond 8 bytes", `${"A".repeat(10)}B`],
  ],
  base64url: [...NOT_TEXT, ["another alphabet", "A+/A"], ["padded", "AA=="], ["two lines", "AAAA\nAAAA"]],
  base64: [
    ...NOT_TEXT,
    ["another alphabet", "A_-A"],
    ["three padding characters", "A==="],
    ["padding inside", "AA=A"],
    ["two lines", "AAAA\nAAAA"],
  ],
};

/** Every wrong value of every field, of those that are `advisory` or of the others: its name, what is wrong, the value. */
export function wrongValues(
  fields: Fields,
  isAdvisory = false,
): readonly (readonly [field: string, wrong: string, value: unknown])[] {
  return Object.entries(fields).flatMap(([field, { kind, advisory = false }]) => {
    if (advisory !== isAdvisory) return [];
    return WRONG[kind].map(([wrong, value]) => [field, wrong, value] as const);
  });
}

/** Bodies that are not one JSON record. */
export const NOT_A_RECORD: readonly (readonly [name: string, body: BodyInit])[] = [
  ["half a record", '{"uniqueDeviceId":'],
  ["a record and more", "{} {}"],
  ["a record with a trailing comma", '{"nonce":"n",}'],
  ["a record in single quotes", "{'nonce':'n'}"],
  ["a record after two byte order marks", "\ufeff\ufeff{}"],
  ["a record in UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a form", "nonce=n&attestationObject=a"],
  ["XML", "<nonce>n</nonce>"],
  ["an empty array", "[]"],
  ["an array of a record", "[{}]"],
  ["a number", "7"],
  ["a number out of range", "1e400"],
  ["a text", '"{}"'],
  ["true", "true"],
  ["NaN", "NaN"],
  ["8,000 brackets", "[".repeat(8_000)],
  ["4,000 brackets and their ends", `${"[".repeat(4_000)}${"]".repeat(4_000)}`],
];

/** Bodies over `limit` bytes. */
export const tooLarge = (limit: number): readonly (readonly [name: string, body: string])[] => [
  ["1 MB of text in an unknown field", `{"padding":"${"x".repeat(1_000_000)}"}`],
  ["1 MB of spaces", " ".repeat(1_000_000)],
  ["1 MB of brackets", "[".repeat(1_000_000)],
  ["one byte over the limit", `${" ".repeat(limit - 1)}{}`],
];

/** Records without any field an endpoint knows; `fields` are right, but where only a careless reader finds them. */
export function emptyRecords(fields: unknown): readonly (readonly [name: string, body: string])[] {
  const hidden = JSON.stringify(fields);
  return [
    ["an empty record", "{}"],
    ["white space", " \r\n\t"],
    ["fields nobody knows", '{"a":1,"b":[],"c":{"d":null}}'],
    ["keys in another case", '{"UNIQUEDEVICEID":"x","Nonce":"x","TOKEN":"x"}'],
    ["keys with spaces", '{" nonce":"x","uniqueDeviceId ":"x"}'],
    ["everything under the prototype's key", `{"__proto__":${hidden}}`],
    ["everything under the constructor's prototype", `{"constructor":{"prototype":${hidden}}}`],
    ["a nesting of 1,000 records", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
  ];
}
