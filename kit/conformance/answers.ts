/** Compares a tag's answers with what was expected, and describes them. */
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { statusName } from "../../core/gatt/values.ts";
import type { Seen } from "./seen.ts";
import { type Answer, type Verdict, verdict } from "./types.ts";

/** Number and name of a status code, "16 FRAME". */
export function codeText(code: number): string {
  const name = statusName(code);
  return name === undefined ? `${code}` : `${code} ${name}`;
}

export function seenOf(answer: Answer): Seen {
  switch (answer.kind) {
    case "alert":
      return ["alert", codeText(answer.code)];
    case "edhocError":
      return answer.code === 2 ? ["suites", answer.suitesR.join(", ")] : ["edhocError", answer.code];
    case "edhoc":
    case "app":
      return ["message", answer.kind === "edhoc" ? "EDHOC" : "APP", answer.message.length];
    case "statement":
      return ["message", "[18]", answer.statement.length];
    case "code":
      return ["code", codeText(answer.code)];
    case "gone":
    case "silence":
    case "garbage":
      return [answer.kind];
  }
}

/** Alert `name` on SEC, or the same code in a record or in STATUS. */
export function isCode(answer: Answer, ...names: readonly StatusName[]): boolean {
  return (
    (answer.kind === "alert" || answer.kind === "code") && names.some((name) => STATUS[name] === answer.code)
  );
}

export function expectCode(answer: Answer, ...names: readonly StatusName[]): Verdict {
  return verdict(isCode(answer, ...names), ...seenOf(answer));
}

/** EDHOC error 1: says that the handshake failed, without a reason. */
export function expectError1(answer: Answer): Verdict {
  return verdict(answer.kind === "edhocError" && answer.code === 1, ...seenOf(answer));
}

/** The session is over: no further message, whether the link is still open or not. */
export function expectDead(answer: Answer): Verdict {
  return verdict(answer.kind === "gone" || answer.kind === "silence", ...seenOf(answer));
}
