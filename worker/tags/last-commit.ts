import { toHex } from "../../core/encoding/bytes.ts";
import { issuedAt } from "./cti.ts";
import { type Caller, isHolder, isLive, isOlder } from "./rules.ts";
import type { State } from "./state.ts";
import { isStale, type Report } from "./tag-statement.ts";

/** Whose label a tag shows, as far as its statement says. */
export type LastCommit = "own" | "other";

/** An older label is of a journey that is over. */
const CURRENT_SECONDS = 14 * 86_400;

/**
 * Whose write the tag's last commit is (rules §5). Undefined without a verified statement, for staff, where the last commit
 * is no write, and where the service cannot say: its key is gone, or a lock that has ended since is as new.
 */
export function lastCommitOf(caller: Caller, state: State, report: Report): LastCommit | undefined {
  const { deviceId, verified: found } = report;
  if (found === undefined || caller.isStaff || isStale(state, report)) return undefined;
  const { operation, cti } = found.statement;
  if (operation !== "write" || cti === null) return undefined;
  const lock = state.locks[deviceId];
  const isHeld = lock !== undefined && isLive(caller, lock) && isHolder(caller, lock);
  if (found.isByCaller || (isHeld && found.isByWriter === true)) return "own";
  if (!found.isKeyConfigured || issuedAt(cti) < caller.now / 1_000 - CURRENT_SECONDS) return undefined;
  return isOfEndedLock(caller, state, report) ? undefined : "other";
}

/** Whether the last commit was written for a lock that has ended since, or before one did. */
function isOfEndedLock(caller: Caller, state: State, { deviceId, verified: found }: Report): boolean {
  const known = state.devices[deviceId];
  const { cti: bytes, commits } = found?.statement ?? {};
  if (known === undefined || bytes == null || commits === undefined) return false;
  const cti = toHex(bytes);
  const isOver = (stored: string | null, at: number) => cti === stored || isOlder(cti, stored, at);
  const lock = state.locks[deviceId];
  return (
    commits <= known.spentCommits ||
    (known.endedAt !== null && isOver(known.endedCti, known.endedAt)) ||
    (lock !== undefined && !isLive(caller, lock) && isOver(lock.cti, lock.lockedAt))
  );
}
