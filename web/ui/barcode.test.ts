import { expect, test } from "vitest";
import { interleaved2of5 } from "./TagDrawing.tsx";

/** Narrow and wide elements per digit, from the table of formats d.1; w = 3 modules, n = 1. */
const DIGITS = ["nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn"];

/** Reads the bars back as a scanner would: elements, then start, pairs and stop. */
function read(digits: string): string {
  const symbol = interleaved2of5(digits);
  if (!symbol) throw new Error("no symbol");
  const elements: string[] = [];
  for (const [index, [start, width]] of symbol.bars.entries()) {
    elements.push(width === 3 ? "w" : "n");
    const next = symbol.bars[index + 1];
    if (next) elements.push(next[0] - start - width === 3 ? "w" : "n");
  }
  expect(elements.slice(0, 4).join("")).toBe("nnnn");
  expect(elements.slice(-3).join("")).toBe("wnn");
  const body = elements.slice(4, -3);
  let text = "";
  for (let at = 0; at < body.length; at += 10) {
    const pair = body.slice(at, at + 10);
    const bars = pair.filter((_, index) => index % 2 === 0).join("");
    const spaces = pair.filter((_, index) => index % 2 === 1).join("");
    text += `${DIGITS.indexOf(bars)}${DIGITS.indexOf(spaces)}`;
  }
  return text;
}

test.each(["0117123456", "0220654321", "9876543210"])(
  "the symbol of %s reads back as its digits",
  (digits) => {
    expect(read(digits)).toBe(digits);
  },
);

test.each(["", "123", "01171234A6"])("%j has no symbol, rather than a wrong one", (text) => {
  expect(interleaved2of5(text)).toBeUndefined();
});
