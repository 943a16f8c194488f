/** Which of a digit's five elements are wide (ISO/IEC 16390): they stand for 1, 2, 4, 7 and parity. */
const WIDE = [
  "00110",
  "10001",
  "01001",
  "11000",
  "00101",
  "10100",
  "01100",
  "00011",
  "10010",
  "01010",
] as const;
const START = "1010";
const STOP = "11101";

/**
 * Interleaved 2 of 5, wide to narrow 3:1 (IATA Res. 740), one character per module, "1" for a bar. `digits`: an even
 * number of digits; undefined where the text is anything else.
 */
export function interleaved2of5(digits: string): string | undefined {
  if (!/^(\d\d)+$/.test(digits)) return undefined;
  const pairs = digits.match(/\d\d/g) ?? [];
  return START + pairs.map(pairOf).join("") + STOP;
}

/** The first digit is in the bars, the second in the spaces between them. */
function pairOf(pair: string): string {
  const [bars, spaces] = [...pair].map((digit) => WIDE[Number(digit)] ?? "");
  return [...(bars ?? "")]
    .map((wide, at) => (wide === "1" ? "111" : "1") + (spaces?.[at] === "1" ? "000" : "0"))
    .join("");
}
