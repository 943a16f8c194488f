/** What becomes of an outbox entry: when the service's answer is final, and how long it is tried. */
import { fromBase64Url } from "../core/encoding/bytes.ts";
import { ServiceError, type TaglatchError } from "./errors.ts";
import type { StoredEntry } from "./storage.ts";
import { type LastCommit, outcomeOf } from "./tag/secured-tag.ts";
import type { OutboxEntry } from "./types.ts";

const DAY = 86_400_000;

/** An unresolved entry is discarded after so long (milliseconds): no lock lives longer. */
export const UNRESOLVED_LIFE = 7 * DAY;

/** An entry that the service has not taken for so long (milliseconds) ends, with its notice. */
export const ENTRY_LIFE = 14 * DAY;

/** Before the second try, in milliseconds; twice as long before each further one, up to `LONGEST`. */
const FIRST_PAUSE = 15_000;
const LONGEST = 3_600_000;

/** Refusals that may not last. */
const NOT_FINAL = [401, 408, 429];

/** Milliseconds from the last of `tries` to the next; the service may have asked for more, up to a day. */
export function pauseAfter(tries: number, error: TaglatchError): number {
  const asked = error instanceof ServiceError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(Math.min(DAY, asked), Math.min(LONGEST, FIRST_PAUSE * 2 ** (tries - 1)));
}

/** Whether the entry's pause is over. No pause exceeds a day: a later `nextTryAt` is of a clock that was ahead. */
export function isDue({ nextTryAt = 0 }: Pick<StoredEntry, "nextTryAt">, now: number): boolean {
  return nextTryAt <= now || nextTryAt > now + DAY;
}

/**
 * Whether the service itself has refused for good. A proxy's answer, and a code of a later version, are `invalid_answer` and
 * may not last; a refused login says nothing of the entry.
 */
function isFinal(error: TaglatchError): error is ServiceError {
  if (!(error instanceof ServiceError) || error.inLogin) return false;
  const { code, statusCode = 0 } = error;
  if (code === "never_confirmed") return true;
  if (code === "idempotency_in_flight" || code === "invalid_answer") return false;
  return statusCode >= 400 && statusCode < 500 && !NOT_FINAL.includes(statusCode);
}

/** The service has a newer statement: the tag is asked again, once. */
export function wantsTag(
  { tagStatement, asked }: Pick<StoredEntry, "tagStatement" | "asked">,
  error: TaglatchError,
): boolean {
  return error.code === "stale_statement" && tagStatement !== undefined && asked !== true;
}

/** Whether `error` ends the entry. */
export const endsEntry = (
  entry: Pick<StoredEntry, "tagStatement" | "asked">,
  error: TaglatchError,
): error is ServiceError => isFinal(error) && !wantsTag(entry, error);

/** Whether the tag's last commit is the entry's. */
export function isTaken({ mark, commitsBefore }: StoredEntry, last: LastCommit): boolean {
  if (mark === undefined) return false;
  return outcomeOf(last, fromBase64Url(mark), { commits: commitsBefore }) === "committed";
}

export function deviceOf({ uniqueDeviceId, batteryPercentage, firmwareVersion }: StoredEntry) {
  return {
    uniqueID: uniqueDeviceId,
    ...(batteryPercentage !== undefined && { batteryPercentage }),
    ...(firmwareVersion !== undefined && { firmwareVersion }),
  };
}

/** The part of an entry that hosts see. */
export function visible(entry: StoredEntry): OutboxEntry {
  const { id, kind, uniqueDeviceId, baggageId, createdAt, tries, nextTryAt, unresolved } = entry;
  const bag = baggageId === undefined ? {} : { baggageId };
  const next = nextTryAt === undefined || unresolved ? {} : { nextTryAt };
  return { id, kind, uniqueDeviceId, createdAt, tries, ...bag, ...next, ...(unresolved && { unresolved }) };
}
