import type { TagStatement } from "../../core/sec/statement.ts";

/**
 * What a verified statement decides of the live lock (rules §5).
 *
 * - `disproved`: no writer of this lock requested the tag's last commit, or its number is spent.
 * - `proven`: a writer did, so no other person has written the tag since.
 * - `undecided`: the statement proves nothing about this lock.
 */
export type ProofDecision = "disproved" | "proven" | "undecided";

/** The lock as far as a statement is compared with it. Instants in milliseconds. */
export interface ComparedLock {
  readonly lockedAt: number;
  /** Number of the statement that proved it, if one did. */
  readonly commits: number | null;
}

export interface ComparedStatement {
  readonly statement: Pick<TagStatement, "cti" | "operation" | "commits">;
  /** Made under this caller's challenge for this very lock. */
  readonly isPresence: boolean;
  /** When the token of its `cti` was issued, seconds since 1970; undefined without a `cti`. */
  readonly issuedAt: number | undefined;
  /** Whether the `cti` was made for a writer of the lock; `unknown` where its key is no longer configured. */
  readonly isByWriter: boolean | "unknown";
  /** Numbers up to this one prove nothing any more. */
  readonly spent: number;
}

/** A token may be this much older than the lock that its attachment made: the page was offline (rules §5). */
export const ATTACHED_WITHIN_SECONDS = 7 * 86_400;

export function decideProof(lock: ComparedLock, compared: ComparedStatement): ProofDecision {
  const { statement, isPresence, issuedAt, isByWriter, spent } = compared;
  // Without numbers, only a statement made now shows which of two writes was the last.
  const isNewer = lock.commits !== null && statement.commits > lock.commits;
  if (!isPresence && !isNewer) return "undecided";
  if (statement.operation !== "write" || issuedAt === undefined) return "disproved";
  if (issuedAt < lock.lockedAt / 1_000 - ATTACHED_WITHIN_SECONDS) return "disproved";
  // It has proven the lock before, when its author was one of the writers.
  if (statement.commits === lock.commits) return "proven";
  if (isByWriter === "unknown") return "undecided";
  // A number that proved an ended lock proves no other.
  return isByWriter && statement.commits > spent ? "proven" : "disproved";
}
