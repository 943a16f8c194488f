import { and, count, eq, gt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { deviceTicketLocks } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { type Budget, countGuess, requireWithin } from "./guess-budget.ts";
import { type Keyed, readEarlier } from "./idempotency.ts";

const HOUR = 3_600;

/**
 * How much one passenger may attach (decisions §2): attachments per hour, live locks, and bags that do not exist per
 * hour, so that nobody walks along the baggage ids. Who is over the last learns nothing of bags that do exist either.
 * Staff have no limits, nor has development. A request sent again under its key is not refused here.
 * Throws `too_many_requests`; one round trip.
 */
export async function requireAttachable(
  ctx: BearerContext,
  { bag, device }: { readonly bag: SQLWrapper; readonly device: SQL<string> },
  keyed: Keyed,
): Promise<void> {
  const { db, settings, principal } = ctx;
  if (settings.environment === "development" || principal.staff) return;
  const budgets = budgetsFor(ctx, bag);
  const [[earlier], [locks], ...counted] = await db.batch([
    readEarlier(ctx, keyed),
    otherLocks(ctx, device),
    ...countGuess(ctx, budgets),
  ]);
  if (earlier !== undefined) return;
  requireWithin(ctx, budgets, counted, "too_many_requests");
  if ((locks?.held ?? 0) >= settings.limits.liveLocksPerSubject) throw new ApiError("too_many_requests");
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

/** How many other tags the caller holds. */
const otherLocks = ({ db, now, principal }: BearerContext, device: SQL<string>) =>
  db
    .select({ held: count().as("held") })
    .from(deviceTicketLocks)
    .where(
      and(
        eq(deviceTicketLocks.holderSub, principal.sub),
        gt(deviceTicketLocks.endsAt, now),
        ne(deviceTicketLocks.deviceId, device),
      ),
    );
