/** The table of all checks, in the order they run. Numbers are for ever: a removed check leaves a gap. */
import { expectCode, isCode, seenOf } from "./answers.ts";
import type { CheckRow } from "./check-row.ts";
import { COMMIT_CHECKS } from "./checks/commit.ts";
import { FRAME_CHECKS } from "./checks/frames.ts";
import { GATT_CHECKS } from "./checks/gatt.ts";
import { HANDSHAKE_CHECKS } from "./checks/handshake.ts";
import { LABEL_CHECKS } from "./checks/label.ts";
import { RECORD_CHECKS } from "./checks/records.ts";
import { SESSION_CHECKS } from "./checks/session.ts";
import { STATEMENT_CHECKS } from "./checks/statement.ts";
import { TOKEN_CHECKS } from "./checks/token.ts";
import { V20_CHECKS } from "./checks/v20.ts";
import { CLEAR_BYTES, type Desk } from "./desk.ts";
import { type Verdict, verdict } from "./types.ts";

/** Leaves the tag blank. */
async function clear(desk: Desk): Promise<Verdict> {
  const answer = await desk.commit(CLEAR_BYTES);
  if (!isCode(answer, "COMMITTED")) return verdict(false, ...seenOf(answer));
  await desk.probe.fresh();
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
  const on = (await desk.isV21()) ? "SEC" : "CERT";
  await desk.probe.try(() =>
    desk.probe.send(on, on === "SEC" ? "EDHOC" : "CERTIFICATE_CHAIN", new Uint8Array(8)),
  );
  return expectCode(await desk.probe.answer(on), "LOCKOUT");
}

const END_CHECKS = [
  { id: "C73", group: "end", profile: "both", run: clear },
  { id: "C74", group: "end", profile: "both", optional: true, run: lockout },
] as const satisfies readonly CheckRow[];

export const CHECKS = [
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

export type CheckId = (typeof CHECKS)[number]["id"];
