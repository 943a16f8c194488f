import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKS } from "./checks.ts";
import { CHECK_TEXTS } from "./texts/english.ts";

const protocol = readFileSync(join(import.meta.dirname, "../../docs/protocol.md"), "utf8");
const chapters = protocol.split("\n").flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);

test("every check has its words, and there are no words without a check", () => {
  expect(Object.keys(CHECK_TEXTS).sort()).toEqual(CHECKS.map(({ id }) => id).sort());
});

test("numbers are given once", () => {
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
});

test.each(Object.entries(CHECK_TEXTS))("%s cites a chapter that docs/protocol.md has", (_id, { section }) => {
  expect(chapters).toContain(section);
});

test.each(CHECKS.map(({ id }) => CHECK_TEXTS[id]))(
  "$title: expected and why are whole sentences",
  (words) => {
    for (const sentence of [words.expected, words.why]) expect(sentence).toMatch(/^[A-Z0-9].*\.$/s);
  },
);
