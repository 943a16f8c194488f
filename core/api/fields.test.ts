import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { Theme } from "./configuration.ts";
import {
  advisory,
  base64Text,
  base64UrlText,
  cutText,
  day,
  digest32,
  instant,
  int32,
  octets8,
} from "./fields.ts";
import { BaggageTagRequest } from "./journeys.ts";
import { TracedBagsRequest } from "./traces.ts";

const plate = (lpn: string) => v.is(BaggageTagRequest, { lpn });
const cursor = (text: string) => v.is(TracedBagsRequest, { cursor: text });
const logo = (text: string) => v.is(Theme, { logo: text });
const is = (schema: v.GenericSchema<unknown, unknown>) => (text: string) => v.is(schema, text);

describe.each<[string, (text: string) => boolean, readonly string[], readonly string[]]>([
  [
    "32 bytes in base64url",
    is(digest32),
    ["A".repeat(43), `${"-".repeat(42)}8`, `${"_".repeat(42)}A`],
    // The last character carries four bits: the other two of it would be a second spelling.
    [
      "A".repeat(42),
      "A".repeat(44),
      `${"A".repeat(42)}B`,
      `${"A".repeat(42)}9`,
      `${"A".repeat(43)}=`,
      `+${"A".repeat(42)}`,
      `${"A".repeat(43)}\n`,
    ],
  ],
  [
    "8 bytes in base64url",
    is(octets8),
    ["A".repeat(11)],
    ["A".repeat(10), "A".repeat(12), `${"A".repeat(10)}B`],
  ],
  ["base64url", is(base64UrlText(8)), ["", "A-_A"], ["A+/A", "AA==", "AAAA\nAAAA", "A".repeat(9)]],
  ["a cursor", cursor, ["a.0b"], ["", "a", "a.b.c", "A.B", `${"z".repeat(11)}.0b`, "1.1) or (1"]],
  [
    "base64",
    is(base64Text(8)),
    ["", "AAAA", "+/==", "AAA="],
    ["AA=A", "=AAA", "A===", "-_==", "AAAAAAAAA", "AA A", "AAAA\nAAAA"],
  ],
  [
    "an instant",
    is(instant),
    ["2026-05-03T09:15:00Z", "2026-05-03T09:15:00.123+02:00"],
    ["2026-05-03", "2026-05-03T25:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "03/05/2026", ""],
  ],
  ["a day", is(day), ["2026-05-03"], ["2026-5-3", "2026-05-03T00:00:00Z", "2026-13-01"]],
  [
    "a licence plate asked for",
    plate,
    ["0117123456", "0000000001"],
    ["0000000000", "011712345", "01171234567", "011712345X"],
  ],
  [
    "an airline's logo",
    logo,
    ["/logo.svg", "/a/b-1.png", "data:image/png;base64,AAAA"],
    [
      "//elsewhere.example/logo.svg",
      "/\\elsewhere.example",
      "https://elsewhere.example/logo.svg",
      "/",
      "data:text/html;base64,AAAA",
    ],
  ],
])("%s", (_what, takes, right, wrong) => {
  it.each(right)("is %j", (text) => expect(takes(text)).toBe(true));
  it.each(wrong)("is not %j", (text) => expect(takes(text)).toBe(false));
});

it.each([1.5, 1e-9, 2_147_483_648, -2_147_483_649, 1e300])("an int32 is not %s", (value) => {
  expect(v.is(int32(), value)).toBe(false);
});

describe("an advisory field", () => {
  const Record = v.object({ name: advisory(cutText(3)), charge: advisory(int32()) });
  it.each([
    ["keeps what fits", { name: "abc", charge: -1 }, { name: "abc", charge: -1 }],
    ["is cut where it is longer", { name: "abcd" }, { name: "abc" }],
    ["is cut before a character that would be split", { name: "ab\u{1f9f3}" }, { name: "ab" }],
    ["is absent where its value is of another type", { name: 7, charge: 1.5 }, {}],
  ])("%s", (_, sent, read) => expect(v.parse(Record, sent)).toEqual(read));
});
