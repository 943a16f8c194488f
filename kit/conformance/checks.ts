/** The table of all checks, in the order they run. Numbers are for ever: a removed check leaves a gap. */

import type { CheckRow } from "./check-row.ts";
import { COMMIT_CHECKS, RECORD_CHECKS } from "./checks/commit.ts";
import { FRAME_CHECKS, GATT_CHECKS } from "./checks/gatt.ts";
import { HANDSHAKE_CHECKS } from "./checks/handshake.ts";
import { LABEL_CHECKS } from "./checks/label.ts";
import { SESSION_CHECKS, V20_CHECKS } from "./checks/session.ts";
import { STATEMENT_CHECKS } from "./checks/statement.ts";
import { TOKEN_CHECKS } from "./checks/token.ts";
import { CLEAR_BYTES, type Desk } from "./desk.ts";
import { expectCode, isCode, seenOf, type Verdict, verdict } from "./types.ts";

/** Leaves the tag blank. The session stays, for the tag's statement on the report. */
async function clear(desk: Desk): Promise<Verdict> {
  const answer = await desk.commit(CLEAR_BYTES);
  if (!isCode(answer, "COMMITTED")) return verdict(false, ...seenOf(answer));
  const { display } = await desk.probe.status();
  const { flags } = await desk.probe.info();
  return verdict(
    display === "BLANK" && flags.displayBlank,
    "display",
    display,
    flags.displayBlank ? 1 : 0,
    0,
    0,
  );
}

async function lockout(desk: Desk): Promise<Verdict> {
  const answer = await desk.lockOut();
  if (!isCode(answer, "LOCKOUT")) return verdict(false, ...seenOf(answer));
  desk.probe.close();
  await desk.probe.connected();
  const { state } = await desk.probe.status();
  if (state !== "LOCKOUT") return verdict(false, "state", state);
  const { on, type } = await desk.probe.opening();
  await desk.probe.try(() => desk.probe.send(on, type, new Uint8Array(8)));
  return expectCode(await desk.probe.answer(on), "LOCKOUT");
}

const END_CHECKS = [
  { id: "C73", group: "end", profile: "both", run: clear },
  { id: "C74", group: "end", profile: "both", optional: true, run: lockout },
] as const satisfies readonly CheckRow[];

const ROWS = [
  ...GATT_CHECKS,
  ...FRAME_CHECKS,
  ...HANDSHAKE_CHECKS,
  ...SESSION_CHECKS,
  ...LABEL_CHECKS,
  ...TOKEN_CHECKS,
  ...RECORD_CHECKS,
  ...COMMIT_CHECKS,
  ...STATEMENT_CHECKS,
  ...V20_CHECKS,
  ...END_CHECKS,
] as const satisfies readonly CheckRow[];

export type CheckId = (typeof ROWS)[number]["id"];
type Row = CheckRow & { readonly id: CheckId };

/**
 * Where the checks do not run by number. A line is a session: checks share them in the order in which they can, two tokens
 * that must be refused, then a commit that is needed anyway and makes the tag forget them, then what ends the session. What
 * needs no message_1 comes where a tag delays message_1 (docs/adr/README.md), and v2.0 before the
 * first v2.1 commit, which ends it.
 */
const MOVED: readonly (readonly CheckId[])[] = [
  ["C05", "C06", "C07", "C08", "C09", "C10", "C91", "C11"],
  ["C20", "C21", "C22", "C23", "C25"],
  ["C12", "C13", "C14", "C15", "C16", "C17", "C18", "C19", "C87", "C82"],
  ["C67", "C68", "C69", "C70", "C71", "C72", "C50"],
  ["C35", "C92", "C36", "C43", "C44", "C37"],
  ["C38", "C75", "C76", "C77", "C78"],
  ["C85", "C39", "C40", "C41", "C79", "C80", "C45", "C46", "C83", "C55"],
  ["C47", "C48", "C88", "C57"],
  ["C49", "C51", "C52", "C58"],
  ["C90", "C60"],
  ["C42"],
  ["C53", "C54", "C89", "C56"],
];
/** They follow the last of these. */
const BEHIND: CheckId = "C86";

/** In the order in which they run. */
export const CHECKS: readonly Row[] = inOrder(ROWS);

function inOrder(rows: readonly Row[]): readonly Row[] {
  const moved = MOVED.flat();
  const others = rows.filter(({ id }) => !moved.includes(id));
  const at = others.findIndex(({ id }) => id === BEHIND) + 1;
  const row = (id: CheckId) => rows.filter((one) => one.id === id);
  return [...others.slice(0, at), ...moved.flatMap(row), ...others.slice(at)];
}
