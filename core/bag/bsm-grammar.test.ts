import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../full.test-support.ts";
import { parseBsms } from "./bsm.ts";
import { anyTime, messageAt, type PrintedMessage } from "./bsm-grammar.test-support.ts";
import { FormatError } from "./errors.ts";

/** So many cases take longer than any test should. */
const BY_NIGHT = { timeout: 3_600_000 };
const CASES = cases(60);

const textsOf = ({ lines }: PrintedMessage) => lines.map(({ text }) => text);

/** A text of several messages, one of which is looked at, and the line it begins on. */
const anyText = anyTime.chain((now) =>
  fc
    .record({
      before: fc.array(messageAt(now), { maxLength: 2 }),
      message: messageAt(now),
      after: fc.array(messageAt(now), { maxLength: 2 }),
      lineEnd: fc.constantFrom("\n", "\r\n"),
      pick: fc.nat(),
      choice: fc.nat(),
    })
    .map((made) => ({ ...made, now, line: made.before.flatMap(textsOf).length + 1 })),
);
type Text = typeof anyText extends fc.Arbitrary<infer T> ? T : never;

/** The whole text with `lines` in place of the message's own. */
const withLines = ({ before, after, lineEnd }: Text, lines: readonly string[]) =>
  [...before.flatMap(textsOf), ...lines, ...after.flatMap(textsOf), ""].join(lineEnd);

/** Only the message looked at is refused, at `at`; the others are read as they were meant. */
function expectRefused(text: Text, lines: readonly string[], at: number): void {
  const results = parseBsms(withLines(text, lines), text.now);
  const index = text.before.length;
  expect(results[index]).toMatchObject({ ok: false, line: text.line, error: { code: "BSM", at } });
  expect(results.toSpliced(index, 1)).toMatchObject(
    [...text.before, ...text.after].map(({ meant }) => ({ ok: true, message: meant })),
  );
}

describe("baggage source messages by the grammar", BY_NIGHT, () => {
  it("are read as they were meant, however many and whatever their line ends", () => {
    const texts = anyTime.chain((now) =>
      fc.tuple(fc.constant(now), fc.array(messageAt(now), { maxLength: 4 }), fc.constantFrom("\n", "\r\n")),
    );
    fc.assert(
      fc.property(texts, ([now, messages, lineEnd]) => {
        let line = 1;
        const meant = messages.map((message) => {
          const begins = line;
          line += message.lines.length;
          return { ok: true, message: { line: begins, ...message.meant } };
        });
        expect(parseBsms(messages.flatMap(textsOf).join(lineEnd), now)).toEqual(meant);
      }),
      CASES,
    );
  });

  it("are refused at the line that is spoilt, and take none of their neighbours with them", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { lines } = text.message;
        const places = lines.flatMap(({ wrong }, i) => (wrong.length > 0 ? [i] : []));
        const place = places[text.pick % places.length] as number;
        const { wrong } = lines[place] as (typeof lines)[number];
        const spoilt = textsOf(text.message).with(place, wrong[text.choice % wrong.length] as string);
        expectRefused(text, spoilt, text.line + place);
      }),
      CASES,
    );
  });

  it("are refused at the second of what may be there once", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = textsOf(text.message);
        const single = lines.flatMap((line, i) => (/^\.[VFILN]/.test(line) ? [i] : []));
        const place = single[text.pick % single.length] as number;
        const end = lines.length - 1;
        // Once more, as the last element.
        expectRefused(text, lines.toSpliced(end, 0, lines[place] as string), text.line + end);
      }),
      CASES,
    );
  });

  it("are refused at their end without what must be there, and at the next line without their end", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("F", "N", "ENDBSM"), (text, missing) => {
        const lines = textsOf(text.message);
        const left = lines.filter((line) => line !== missing && !line.startsWith(`.${missing}/`));
        const end = text.line + left.length - (missing === "ENDBSM" ? 0 : 1);
        expectRefused(text, left, end);
      }),
      CASES,
    );
  });

  it("never make the reader fail in another way, however their lines are mixed up", () => {
    const mixed = anyTime.chain((now) => {
      const line = fc.oneof(
        messageAt(now).chain(({ lines }) =>
          fc.constantFrom(...lines.flatMap(({ text, wrong }) => [text, ...wrong])),
        ),
        fc.constantFrom("BSM", "ENDBSM", "CHG", "DEL", ""),
        fc.string(),
      );
      return fc.tuple(fc.constant(now), fc.array(line, { maxLength: 20 }));
    });
    fc.assert(
      fc.property(mixed, ([now, lines]) => {
        for (const result of parseBsms(lines.join("\n"), now)) {
          if (!result.ok) expect(result.error).toBeInstanceOf(FormatError);
          const at = result.ok ? result.message.line : result.error.at;
          expect(at).toBeGreaterThanOrEqual(1);
          expect(at).toBeLessThanOrEqual(lines.join("\n").split("\n").length + 1);
        }
      }),
      CASES,
    );
  });
});
