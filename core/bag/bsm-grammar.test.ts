import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../full.test-support.ts";
import vectors from "../vectors/bsm.json" with { type: "json" };
import { parseBsms } from "./bsm.ts";
import { FormatError } from "./errors.ts";

/** So many cases take longer than any test should. */
const BY_NIGHT = { timeout: 3_600_000 };
const NOW = Date.parse(vectors.now);

/** Those without an envelope. */
const single = vectors.accepted.filter(
  ({ text, messages }) => messages.length === 1 && text.startsWith("BSM\n"),
);
const linesOf = (text: string) => text.trimEnd().split("\n");

describe("a message of the vectors", () => {
  it.each([
    ["a digit behind a plate and its count", ".N/01171234560010"],
    ["a field behind a plate", ".N/0117123456001/X"],
  ])("is refused with %s", (_, line) => {
    const lines = linesOf(single[0]?.text ?? "").map((each) => (each.startsWith(".N/") ? line : each));
    const at = 1 + lines.indexOf(line);
    expect(parseBsms(lines.join("\n"), NOW)).toMatchObject([{ ok: false, error: { code: "BSM", at } }]);
  });

  it.each(single)("is refused at the second of what may be there once: $name", ({ text }) => {
    const lines = linesOf(text);
    const end = lines.length - 1;
    for (const line of lines.filter((each) => /^\.[VFILN]/.test(each))) {
      // Once more, as the last element.
      const [result] = parseBsms(lines.toSpliced(end, 0, line).join("\n"), NOW);
      expect(result).toMatchObject({ ok: false, error: { code: "BSM", at: end + 1 } });
    }
  });

  it.each(single)("is read behind a malformed one and before one, under either line end: $name", (vector) => {
    const { text, messages } = vector;
    const broken = "BSM\n.V/9LOSL\nENDBSM\n";
    for (const lineEnd of ["\n", "\r\n"]) {
      const results = parseBsms(`${broken}${text.trimEnd()}\n${broken}`.replaceAll("\n", lineEnd), NOW);
      expect(results.map(({ ok }) => ok)).toEqual([false, true, false]);
      expect(results[1]).toMatchObject({ message: { ...messages[0], line: 4 } });
    }
  });
});

it("messages whose lines are mixed up never make the reader fail in another way", BY_NIGHT, () => {
  const lines = [...vectors.accepted, ...vectors.malformed].flatMap(({ text }) => linesOf(text));
  const line = fc.oneof(
    fc.constantFrom(...lines),
    fc.constantFrom("BSM", "ENDBSM", "CHG", "DEL", ""),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (mixed) => {
      for (const result of parseBsms(mixed.join("\n"), NOW)) {
        if (!result.ok) expect(result.error).toBeInstanceOf(FormatError);
        const at = result.ok ? result.message.line : result.error.at;
        expect(at).toBeGreaterThanOrEqual(1);
        expect(at).toBeLessThanOrEqual(mixed.join("\n").split("\n").length + 1);
      }
    }),
    cases(200),
  );
});
