/** What a host sees of the outbox. */
import type { ServiceError, TaglatchError } from "./errors.ts";

/** What is still to be reported to the service: ids only, no personal data, no token. */
export interface OutboxEntry {
  readonly id: string;
  readonly kind: "attach" | "unlock";
  readonly uniqueDeviceId: string;
  /** Of `attach`. */
  readonly baggageId?: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly tries: number;
  /** When its pause is over, which grows from try to try: milliseconds since 1970, absent before the first. */
  readonly nextTryAt?: number;
  /**
   * Waits for the tag instead of the service; `settleTag` settles it. `written`: the page ended between
   * the commit and the tag's answer, and whether the tag took it is unknown. `stale`: the service knows
   * something newer from the tag.
   */
  readonly question?: "written" | "stale";
}

export type OutboxEvent =
  | { readonly type: "added"; readonly entry: OutboxEntry }
  | { readonly type: "sent"; readonly entry: OutboxEntry }
  /** The service refused for good, or was not reached in 14 days (`never_confirmed`): show the person what is true now (`error.code`). */
  | { readonly type: "dropped"; readonly entry: OutboxEntry; readonly error: ServiceError }
  | { readonly type: "kept"; readonly entry: OutboxEntry; readonly error: TaglatchError }
  /** The tag was asked. What it took is reported to the service next, under another id; the rest was never written. */
  | { readonly type: "settled"; readonly entry: OutboxEntry; readonly written: boolean }
  /** The question was put away without an answer. */
  | { readonly type: "ended"; readonly entry: OutboxEntry };

export interface FlushReport {
  readonly sent: number;
  /** The entries that the service took in this flush: what has vanished otherwise was not sent. */
  readonly sentIds: readonly string[];
  readonly dropped: number;
  readonly left: number;
  /** Entries that wait for their tag ({@link OutboxEntry.question}); not counted in `left`. */
  readonly asking: number;
}
