/**
 * The envelope in which a network for teletype messages (Type B) delivers a baggage message: who it is for, who sent
 * it and when. A host may hand a message on as it came. None of it says anything about a bag.
 */

/** `QU OSLKLSK CPHBRSK`: priority and addresses, which may go on for lines. */
const PRIORITY = /^Q[A-Z](?: +[A-Z]{3}[A-Z0-9]{4})+ *$/;
const ADDRESSES = /^[A-Z]{3}[A-Z0-9]{4}(?: +[A-Z]{3}[A-Z0-9]{4})* *$/;
/** `.CPHRMSK 031200`: who sent it, and when. */
const ORIGIN = /^\.[A-Z]{3}[A-Z0-9]{4}(?: [ -~]*)?$/;
/** The first and the last line of a transmission by telex. */
const TELEX = /^(?:ZCZC(?: [ -~]*)?|NNNN)$/;
/** The newer form: parts that begin with `=HEADER` or the like; the message is what follows `=TEXT`. */
const PART = /^=[A-Z][A-Z ]*$/;
/** Lines of addresses and the like in such an envelope. */
const LONGEST = 64;

/**
 * How many lines from `at` on are envelope or empty; 0 where a message begins, or something else that is for the
 * reader of messages to decide.
 */
export function envelopeAt(lines: readonly string[], at: number): number {
  const line = lines[at] ?? "";
  if (line === "" || TELEX.test(line) || ORIGIN.test(line)) return 1;
  if (PART.test(line)) {
    const parts = lines.slice(at, at + LONGEST);
    const end = parts.indexOf("=TEXT") + 1;
    // One that never comes to its text takes no message with it.
    return parts.slice(0, end).some((one) => /^ENDB[ST]M$/.test(one)) ? 0 : end;
  }
  if (!PRIORITY.test(line)) return 0;
  let end = at + 1;
  while (end < at + LONGEST && ADDRESSES.test(lines[end] ?? "")) end++;
  return end - at;
}

/** NUL, SOH, STX, ETX and vertical tab: they frame a message on a line, and belong to no text. */
const FRAMING = "\u0000\u0001\u0002\u0003\u000b";
/** Blanks at the end of a line, and the CR, or two, of teletype. */
const FILLING = `${FRAMING}\r\t `;

/** `line` without control characters before and behind it that frame a transmission, and without blanks behind. */
export function unframed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && FRAMING.includes(line.charAt(from))) from++;
  while (to > from && FILLING.includes(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}
