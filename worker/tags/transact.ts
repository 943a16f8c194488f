import { CONFLICT, inBatch, type Statements } from "../database/batch.ts";
import { countRetry, type Db } from "../database/connect.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { ApiError } from "../errors.ts";

/** Decides and commits; where the facts have changed in between, reads and decides again (ADR 33). */

/** A decision and what it writes: undefined where there is nothing to write. */
export interface Planned<Decision> {
  readonly decision: Decision;
  readonly commit: Statements | undefined;
}

interface Transaction<Facts, Decision> {
  /** What the first call of the request has read, if it has. */
  readonly first: Facts | undefined;
  readonly read: () => Promise<Facts>;
  readonly plan: (facts: Facts) => Promise<Planned<Decision>>;
  /** A number from 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since it began. */
  readonly elapsed: () => number;
}

const MOST_ATTEMPTS = 8;
const LONGEST_MILLISECONDS = 4_000;

/**
 * Throws `service_unavailable` after {@link MOST_ATTEMPTS} or {@link LONGEST_MILLISECONDS}. A database that did not
 * answer is never asked again: the batch may have been committed.
 */
export async function transact<Facts, Decision>(
  db: Db,
  { first, read, plan, random, elapsed }: Transaction<Facts, Decision>,
): Promise<Decision> {
  let facts = first ?? (await read());
  for (let attempt = 1; ; attempt += 1) {
    const { decision, commit } = await plan(facts);
    if (commit === undefined) return decision;
    try {
      await inBatch(db, commit);
      return decision;
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === MOST_ATTEMPTS || elapsed() > LONGEST_MILLISECONDS) throw contention();
    }
    countRetry(db);
    await pause(attempt, random);
    facts = await read();
  }
}

const contention = () =>
  new ApiError("service_unavailable", { headers: { "Retry-After": "1" }, reason: "contention" });

/** Longer after each attempt and random, so that of many callers some get through. Uncapped: a cap starves them. */
const pause = (attempt: number, random: () => number) =>
  new Promise<void>((resolve) => setTimeout(resolve, random() * 20 * 2 ** attempt));

/** Whether a batch failed because a guard did: D1, SQLite and drizzle each wrap the constraint's name. */
export function isConflict(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  for (let at = error; at instanceof Error; at = at.cause) if (at.message.includes(CONFLICT)) return true;
  return false;
}
