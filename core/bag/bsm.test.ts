import { describe, expect, it } from "vitest";
import vectors from "../vectors/bsm.json" with { type: "json" };
import { parseBsms } from "./bsm.ts";
import { FormatError } from "./errors.ts";

const NOW = Date.parse(vectors.now);
const SAMPLE = vectors.accepted[0]?.text ?? "";

describe("a text of baggage source messages", () => {
  it.each(vectors.accepted)("is read: $name", ({ text, messages }) => {
    expect(parseBsms(text, NOW)).toEqual(messages.map((message) => ({ ok: true, message })));
  });

  it.each(vectors.malformed)("is refused with its line: $name", ({ text, line, at }) => {
    const [first] = parseBsms(text, NOW);
    expect(first).toEqual({ ok: false, line, error: expect.any(FormatError) });
    expect(first?.ok === false && first.error).toMatchObject({ code: "BSM", at });
  });

  it("says what is wrong without repeating the message", () => {
    const errors = vectors.malformed.map(({ text }) => JSON.stringify(parseBsms(text, NOW)[0]));
    expect(
      errors.filter((error) => /LOVELACE|ABC123|0117123456/.test(error) && error.includes('"ok":false')),
    ).toEqual([]);
  });

  it("loses no message to a malformed one before, between or after", () => {
    const broken = SAMPLE.replace("ENDBSM\n", "");
    const results = parseBsms([SAMPLE, broken, SAMPLE, "GARBAGE\n", SAMPLE].join(""), NOW);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false, true]);
    expect(results.map((result) => (result.ok ? result.message.line : result.line))).toEqual([
      1, 11, 20, 30, 31,
    ]);
  });

  it("loses no message to an envelope that never comes to its text, and none of another kind is passed over", () => {
    const texts = [
      "=HEADER\n",
      SAMPLE,
      "QU OSLKLSK\n.CPHRMSK 031200\nBPM\nENDBPM\n",
      "=SMI\nBSM\n=TEXT\n",
      SAMPLE,
    ];
    const results = parseBsms(texts.join(""), NOW);
    expect(results.map((result) => [result.ok, result.ok ? result.message.line : result.line])).toEqual([
      [false, 1],
      [true, 2],
      [false, 14],
      [true, 19],
    ]);
  });

  it("of nothing holds no message", () => {
    expect(parseBsms("", NOW)).toEqual([]);
    expect(parseBsms("\r\n\n\r\n", NOW)).toEqual([]);
  });
});

describe("the year of a day", () => {
  it.each([
    ["03MAY", "2026-05-01", "2026-05-03"],
    ["01JAN", "2026-12-30", "2027-01-01"],
    ["31DEC", "2027-01-02", "2026-12-31"],
    ["29FEB", "2025-12-01", "2024-02-29"],
    ["29FEB", "2027-12-01", "2028-02-29"],
    // Half a year before one and after the other, counted from the middle of the day.
    ["01JAN", "2026-07-02T23:59:59Z", "2026-01-01"],
    ["01JAN", "2026-07-03T00:00:01Z", "2027-01-01"],
  ])("of %s seen on %s makes it %s", (day, now, date) => {
    const [result] = parseBsms(SAMPLE.replaceAll("03MAY", day), Date.parse(now));
    expect(result?.ok && result.message.flight.date).toBe(date);
  });
});

describe("a flight out of reach", () => {
  const reach = { aheadDays: 30, behindDays: 10 };
  const flown = `${SAMPLE.replace(/^\.[IO].*\n/gm, "").replace(/^\.F.*$/m, ".F/SK1234/03MAY/ARN/Y")}`;
  const at = (date: string) => parseBsms(flown, Date.parse(date), reach)[0];

  it.each(["2026-04-03", "2026-05-13T23:59:59Z"])("begins after %s", (now) => {
    expect(at(now)).toMatchObject({ ok: true });
  });

  it.each([
    ["2026-04-02T23:59:59Z", "a day at most 30 days ahead"],
    ["2026-05-14", "a day at most 10 days ago"],
  ])("is refused with its line: seen on %s, %s", (now, expected) => {
    const line = flown.split("\n").findIndex((text) => text.startsWith(".F")) + 1;
    expect(at(now)).toMatchObject({ ok: false, error: { at: line, expected } });
  });

  it.each(["I", "O"])("is found in .%s as well", (letter) => {
    const text = flown.replace(".F/", `.${letter}/SK0999/03DEC/HEL/Y\n.F/`);
    const line = text.split("\n").findIndex((one) => one.startsWith(`.${letter}/SK0999`)) + 1;
    expect(parseBsms(text, Date.parse("2026-05-01"), reach)[0]).toMatchObject({
      ok: false,
      error: { at: line },
    });
  });
});

describe("the plates of a message", () => {
  const withPlates = (...plates: readonly string[]) =>
    parseBsms(SAMPLE.replace(/^\.N.*$/m, plates.map((one) => `.N/${one}`).join("\n")), NOW)[0];

  it("may be 99, in one row or several", () => {
    const [row] = [withPlates("0117000001098", "0117100000001")];
    expect(row?.ok && row.message.plates).toHaveLength(99);
  });

  it.each([
    [["0117000001100"], 5],
    [["0117000001098", "0117100000002"], 6],
    [["0117000001002", "0117000002001"], 6],
  ])("are no more, and each once: %j", (plates, at) => {
    expect(withPlates(...plates)).toMatchObject({ ok: false, error: { at } });
  });
});
