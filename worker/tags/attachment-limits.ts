import { and, count, eq, gt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { deviceTicketLocks } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, type Keyed, readEarlier } from "../database/idempotency.ts";
import { inBatch } from "../database/statements.ts";
import { type Budget, countGuess, requireWithin } from "../guards/guess-budget.ts";

const HOUR = 3_600;

/** Neither staff nor development has limits. */
const isUnlimited = ({ settings, principal }: BearerContext) =>
  settings.environment === "development" || principal.staff;

/**
 * How much one passenger may attach (rules §2): attachments per hour, and requests for bags that do not exist
 * per hour, so that nobody tries one baggage id after the other. A caller over the second limit learns
 * nothing of existing bags either. A request sent again under its key is not refused here. {@link mayHold}
 * limits live locks. Throws `too_many_requests`; one D1 call.
 */
export async function requireAttachable(ctx: BearerContext, bag: SQLWrapper, keyed: Keyed): Promise<void> {
  if (isUnlimited(ctx)) return;
  const budgets = budgetsFor(ctx, bag);
  const { earlier, counted } = await inBatch(ctx.db, {
    earlier: readEarlier(ctx, keyed),
    counted: countGuess(ctx, budgets, isUnused(ctx, keyed)),
  });
  if (earlier.length > 0) return;
  requireWithin(ctx, budgets, counted, "too_many_requests");
}

function budgetsFor({ settings, principal }: BearerContext, bag: SQLWrapper): readonly Budget[] {
  const { attachmentsPerSubjectPerHour, unknownBaggagePerSubjectPerHour } = settings.limits;
  return [
    { key: sql`${`attach:${principal.sub}`}`, cap: attachmentsPerSubjectPerHour, windowSeconds: HOUR },
    {
      windowSeconds: HOUR,
      key: sql`${`unknown-bag:${principal.sub}`}`,
      cap: unknownBaggagePerSubjectPerHour,
      cost: sql`(not exists ${bag})`,
    },
  ];
}

/**
 * Whether the caller may hold `device` in addition to the tags they hold. It is a condition in the statement
 * that locks the tag, so that concurrent requests cannot exceed the limit.
 */
export function mayHold(ctx: BearerContext, device: SQL<string>): SQL {
  if (isUnlimited(ctx)) return sql`true`;
  const { db, now, principal, settings } = ctx;
  const others = db
    .select({ held: count() })
    .from(deviceTicketLocks)
    .where(
      and(
        eq(deviceTicketLocks.holderSub, principal.sub),
        gt(deviceTicketLocks.endsAt, now),
        ne(deviceTicketLocks.deviceId, device),
      ),
    );
  return sql`${others} < ${settings.limits.liveLocksPerSubject}`;
}
