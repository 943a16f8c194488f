import { and, count, eq, gt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { deviceTicketLocks } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, type Keyed, readEarlier } from "../database/idempotency.ts";
import { inBatch } from "../database/statements.ts";
import { type Budget, countGuess, requireWithin } from "../guards/guess-budget.ts";

const HOUR = 3_600;

/** Staff have no limits, nor has development. */
const isUnlimited = ({ settings, principal }: BearerContext) =>
  settings.environment === "development" || principal.staff;

/**
 * How much one passenger may attach (rules §2): attachments per hour, and bags that do not exist per hour, so that
 * nobody walks along the baggage ids. Who is over the last learns nothing of bags that do exist either. A request sent
 * again under its key is not refused here. Live locks are {@link mayHold}'s.
 * Throws `too_many_requests`; one D1 call.
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
  const common = { windowSeconds: HOUR, ofDevice: false };
  return [
    { ...common, key: sql`${`attach:${principal.sub}`}`, cap: attachmentsPerSubjectPerHour },
    {
      ...common,
      key: sql`${`unknown-bag:${principal.sub}`}`,
      cap: unknownBaggagePerSubjectPerHour,
      cost: sql`(not exists ${bag})`,
    },
  ];
}

/**
 * Whether the caller may hold `device` beside the tags they hold: a condition for the statement that locks it, so that
 * of any number at once no more get through.
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
