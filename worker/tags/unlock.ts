import { and, not, type SQL } from "drizzle-orm";
import type { EbtUnlockRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { deviceTicketLocks } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import type { AuditedEvent } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, outcomeOf, type Replayable, settle } from "../database/idempotency.ts";
import { inBatch } from "../database/statements.ts";
import type { Keyable } from "../http/route.ts";
import { endLocks, givesWay, isHolder, isLiveLockOf, isOlderThanLock } from "./lock-rules.ts";
import { hear } from "./statement.ts";

/**
 * Removes the lock for its holder (endpoint 12, rules §5), and a claim that gives way to the caller; a tag
 * that is not locked stays so. One batch: a caller who is no holder when it runs changes nothing. Throws
 * `not_lock_holder`, `stale_statement`, `stale_attachment`, `idempotency_key_reused`.
 */
export async function unlock(
  ctx: BearerContext,
  input: EbtUnlockRequest,
  { keyed }: Keyable,
): Promise<Replayable<EbtUnlockResponse>> {
  const { uniqueDeviceId, forBaggageId } = input;
  const heard = await hear(ctx, input);
  const isMine = sql`(${isHolder(ctx)} or ${givesWay(ctx, forBaggageId)})`;
  const isLate = and(isHolder(ctx), isOlderThanLock(heard.cti)) as SQL;
  const may = and(isLiveLockOf(ctx, uniqueDeviceId), sql`not ${heard.isStale}`, isUnused(ctx, keyed));
  // If a lock is still there, it is somebody else's, or newer than what the caller tells of.
  const verdict = sql`select case
      when ${heard.isStale} then 'stale_statement'
      when max(not ${isMine}) then 'not_lock_holder'
      when max(${isLate}) then 'stale_attachment'
      else 'ok' end as outcome, '{}' as facts
    from ${deviceTicketLocks} where ${isLiveLockOf(ctx, uniqueDeviceId)}`;
  const { settled } = await inBatch(ctx.db, {
    // First what the caller may do: the tag's word on its own clear would only void the lock.
    removal: endLocks(ctx, {
      which: and(may, isMine, not(isLate)) as SQL,
      event: sql<AuditedEvent>`case when ${isHolder(ctx)} then 'cleared' else 'claim_gave_way' end`,
      end: sql`case when ${isHolder(ctx)} then 'holder' else 'superseded' end`,
      ...(heard.cti && {
        cti: sql`case when ${isHolder(ctx)} then ${heard.cti} else ${deviceTicketLocks.cti} end`,
      }),
    }),
    heard: heard.changes,
    settled: settle(ctx, keyed, verdict),
  });
  const { isReplay } = outcomeOf(keyed, settled);
  return { answer: { uniqueDeviceId, locked: false }, isReplay };
}
