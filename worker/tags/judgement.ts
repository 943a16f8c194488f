import type { TagStatement } from "../../core/sec/statement.ts";

/**
 * What the tag's newest word makes of the lock that stands (rules §5). Pure: what was read goes in, one word
 * comes out.
 *
 * - `void`: the tag's last commit is not one that a writer of this lock asked for, or its number is spent.
 * - `proven`: it is, so nobody else has written the tag since.
 * - `undecided`: the statement says nothing about this lock.
 */
export type Judgement = "void" | "proven" | "undecided";

/** The lock as far as a statement is held against it. Instants in milliseconds. */
export interface JudgedLock {
  readonly lockedAt: number;
  /** Number of the statement that proved it, if one did. */
  readonly commits: number | null;
}

/** The statement, verified, and how it came. */
export interface Word {
  readonly statement: Pick<TagStatement, "cti" | "operation" | "commits">;
  /** Made under this caller's challenge for this very lock. */
  readonly isPresence: boolean;
  /** When the token of its `cti` was issued, seconds since 1970; undefined without a `cti`. */
  readonly issuedAt: number | undefined;
  /** Whether the `cti` was made for a writer of the lock; `unknown` where its key is gone. */
  readonly isOfWriter: boolean | "unknown";
  /** Numbers up to this one prove nothing any more. */
  readonly spent: number;
}

/** A token may be older than the lock that its attachment made: the page was offline (rules §5). */
export const ATTACHED_WITHIN_SECONDS = 7 * 86_400;

export function judge(lock: JudgedLock, word: Word): Judgement {
  const { statement, isPresence, issuedAt, isOfWriter, spent } = word;
  // Of two writes without numbers nobody knows which was first: only a tag that speaks now can tell.
  const isNewer = lock.commits !== null && statement.commits > lock.commits;
  if (!isPresence && !isNewer) return "undecided";
  if (statement.operation !== "write" || issuedAt === undefined) return "void";
  const isRecent = issuedAt >= lock.lockedAt / 1_000 - ATTACHED_WITHIN_SECONDS;
  if (!isRecent) return "void";
  // It has proven the lock already, when whoever wrote it was one of its writers.
  if (statement.commits === lock.commits) return "proven";
  if (isOfWriter === "unknown") return "undecided";
  if (!isOfWriter) return "void";
  // A lock that rests on a write whose custody has ended is no better than one without a write.
  return statement.commits > spent ? "proven" : "void";
}
