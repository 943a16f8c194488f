/** The report's English: what a check expects and why. */
import type { CheckId } from "../checks.ts";
import { type CheckText, under } from "./check-text.ts";
import { writingChecks } from "./writing-checks.ts";

export const CHECK_TEXTS: Readonly<Record<CheckId, CheckText>> = {
  ...writingChecks,
  // Up to an established session.
  ...under("GATT profile", {
    C01: [
      "Characteristics",
      "Every characteristic of the generation, and SEC exactly when ver_max is 21.",
      "A client decides the generation by INFO and by what is present; the two must not contradict each other.",
    ],
    C02: [
      "Properties",
      "Read, write and notify exactly as the profile lists them; writes without response nowhere else.",
      "A property too many is a door; one too few stops every client.",
    ],
    C03: [
      "INFO",
      "10 bytes; versions 20 or 21; reserved bits zero; frame 20–512; room for 1,024-byte messages; state CONNECTED.",
      "INFO is what a client believes first, and it is bound into the session’s keys.",
    ],
    C04: [
      "ID and name",
      "1–64 bytes of UTF-8, the same on each connection; the name is EBT- and its last four characters.",
      "People choose a tag by its name; the certificate is compared with the ID.",
    ],
    C05: [
      "STATUS",
      "13 bytes with known numbers; state CONNECTED.",
      "On v2.0 every outcome is read from here.",
    ],
    C06: [
      "INFO and STATUS agree",
      "The blank flag says what STATUS says of the display; the low flag only with a low battery.",
      "A client warns or refuses by these bits before it writes.",
    ],
    C07: [
      "Battery service",
      "One byte, 0–100, within one of STATUS.",
      "Other software reads the standard service; it must report the same.",
    ],
    C08: [
      "Device information",
      "Manufacturer, model and firmware, none of them holding the serial number.",
      "Browsers block the serial number string; putting it elsewhere would make tags traceable.",
    ],
    C09: [
      "Write-only characteristics",
      "CERT, AUTH and DATA cannot be read.",
      "What was written there is a certificate, a token or a ticket.",
    ],
  }),
  ...under("States of the tag", {
    C10: [
      "Reading changes nothing",
      "INFO, STATUS and ID stay the same, and the link stays.",
      "Any client may look at any time.",
    ],
    C25: ["Record before keys", "Alert 20 STATE.", "A tag accepts only the handshake before there are keys."],
    C26: ["Data before message_4", "Alert 20 STATE.", "No ticket may arrive before both sides are known."],
  }),
  ...under("Pull model", {
    C11: [
      "Held read",
      "A read of SEC with nothing due ends within 6 s with an empty value.",
      "The tag answers when it is ready, without notifications; longer holds break clients.",
    ],
  }),
  ...under("Over ATT", {
    C91: [
      "Database Hash",
      "16 bytes, the same on each connection.",
      "Phones keep a tag’s table until this value changes, and after an update would miss what is new.",
    ],
    C92: [
      "Connection interval",
      "A request for at most 15 ms and a latency of 0, with message_1 or CERT.",
      "A person waits for every packet of a session.",
    ],
  }),
  ...under("Frames", {
    C12: ["Gap in the sequence", "Code 16 FRAME.", "A lost frame must never be glued over."],
    C13: [
      "Message without its first frame",
      "Code 16 FRAME.",
      "Type and length are in the first frame only.",
    ],
    C14: ["First frame inside a message", "Code 16 FRAME.", "Two messages must not mix."],
    C15: [
      "Last frame before the end",
      "Code 16 FRAME.",
      "The end is known by length and by the mark together.",
    ],
    C16: [
      "Message over max_msg",
      "Code 17 TOO_LARGE, at the first frame.",
      "A tag must not reserve memory for whatever a stranger announces.",
    ],
    C17: ["Unknown type of message", "Code 16 FRAME.", "What is not defined is refused, not guessed."],
    C18: [
      "The link closes after a fault",
      "Closed within a second of the code being read.",
      "A connection whose framing broke cannot be trusted again, and others may be waiting.",
    ],
    C19: [
      "Frame longer than INFO says",
      "The write fails, or code 16 FRAME.",
      "Some systems cut long values silently.",
    ],
    C87: [
      "Two messages in one value",
      "Code 16 FRAME.",
      "Only values that are read have several frames; a written one has one, and what follows it was never announced.",
    ],
  }),
  ...under("Suite negotiation", {
    C20: [
      "Unsupported suite",
      "EDHOC error 2 that names the suites of INFO; the tag waits for another message_1.",
      "The client learns what to use, once, without reconnecting.",
    ],
    C21: [
      "Suite preference",
      "EDHOC error 2 when an earlier supported suite was passed over.",
      "Otherwise an attacker in between could make both sides choose the weaker suite.",
    ],
  }),
  ...under("A v2.1 transfer", {
    C22: ["message_1 cut short", "EDHOC error 1.", "Malformed input must not reach the cryptography."],
    C23: [
      "message_1 with a surplus byte",
      "EDHOC error 1.",
      "Every byte is consumed, or two parsers see two messages.",
    ],
    C24: ["Key share of low order", "EDHOC error 1.", "Anyone could compute the shared secret."],
    C31: [
      "Client without its key",
      "EDHOC error 1.",
      "A certificate is public; the signature proves who holds the key.",
    ],
    C33: [
      "message_3 with one bit changed",
      "EDHOC error 1.",
      "Nothing of a message that fails its check may be used.",
    ],
    C34: [
      "Something else for message_3",
      "EDHOC error 1.",
      "A tag that waits for message_3 takes nothing else.",
    ],
  }),
  ...under("Credentials", {
    C27: [
      "The tag’s certificate",
      "By a pinned tag root, for tags, serialNumber equal to ID.",
      "It distinguishes a genuine tag from one that only claims to be.",
    ],
    C28: ["Client of an unknown root", "EDHOC error 1.", "Only clients of the operator may open a session."],
    C30: [
      "Leaf not signed by its issuer",
      "EDHOC error 1.",
      "Naming the right intermediate is not being issued by it.",
    ],
    C32: [
      "Chain in the wrong order",
      "EDHOC error 1.",
      "An x5chain is leaf first; two orders would be two readings.",
    ],
  }),
  ...under("Known intermediate", {
    C86: [
      "Leaf of an unknown intermediate",
      "EDHOC error 1.",
      "A leaf may come alone only under the intermediate that the tag keeps, and that one leads to the pinned root.",
    ],
  }),
  ...under("Records", {
    C35: [
      "Hello",
      "16-byte nonce, lifetime up to 120 s, id equal to ID, last digest as in STATUS, version 2.1 and INFO bound.",
      "It is the first thing the tag says under protection, and exposes a changed INFO.",
    ],
    C36: [
      "Fresh nonce on request",
      "A new hello with another nonce each time.",
      "A slow custody proof must not cost the session.",
    ],
    C37: ["A ninth fresh nonce", "Status 20 STATE.", "Asking may not go on for ever."],
  }),
};
