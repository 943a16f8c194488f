import { and, eq, sql } from "drizzle-orm";
import type { Journey, JourneysFromAirlinePayloadRequest } from "../../core/api/index.ts";
import { devices, deviceTicketLocks, journeys, NOTHING_ENDED, travelPlans } from "../../db/schema.ts";
import { byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, inList } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { readBooking, viewJourneys } from "../journeys/view.ts";
import type { FedPlan } from "./model.ts";
import { named } from "./passengers.ts";
import { recordRemoval } from "./removed-bags.ts";
import { auditFeed } from "./writes.ts";

/**
 * Withdraws a booking, or passengers of it, with flights and bags (rules §4); returns what is left of it. All of it or
 * nothing: while a tag is locked to one of the bags, the lock would point at nothing. A passenger who is absent was
 * withdrawn before.
 *
 * Throws `device_locked`.
 */
export async function withdraw(
  ctx: BearerContext,
  plan: FedPlan,
  payload: JourneysFromAirlinePayloadRequest,
): Promise<readonly Journey[]> {
  const removed =
    payload.withdraw === "booking"
      ? plan.journeys
      : payload.passengers.flatMap((passenger) => named(plan.journeys, passenger) ?? []);
  const ids = [...new Set(removed.map(({ id }) => id))];
  const { deleted, read } = await inBatch(ctx.db, {
    ...withdrawing(ctx, plan, ids),
    read: readBooking(ctx, { planId: plan.id }),
  });
  const left = await viewJourneys(ctx, read);
  if (deleted.length < ids.length && left.some(({ journeyId }) => ids.includes(journeyId))) {
    throw new ApiError("device_locked");
  }
  return left;
}

function withdrawing(ctx: BearerContext, { id, airline }: FedPlan, ids: readonly string[]) {
  const { db, now } = ctx;
  const lock = deviceTicketLocks;
  const removed = inList(ids);
  const isFree = sql`not exists (select 1 from ${lock} where ${lock.planId} = ${id}
    and ${lock.journeyId} in ${removed} and ${lock.endsAt} > ${now})`;
  const exists = sql`exists (select 1 from ${journeys} where ${journeys.id} in ${removed})`;
  // A lock that has ended still needs its booking, until the sweeper has recorded its end.
  const isEmpty = and(
    eq(travelPlans.id, id),
    sql`not exists (select 1 from ${journeys} where ${journeys.planId} = ${id})`,
    sql`not exists (select 1 from ${lock} where ${lock.planId} = ${id})`,
  );
  return {
    removed: recordRemoval(ctx, sql`${journeys.id} in ${removed} and ${isFree}`, byCaller(ctx)),
    audit: auditFeed(ctx, "booking_fed", airline, "withdrawn", sql`where ${exists} and ${isFree}`),
    deleted: db
      .delete(journeys)
      .where(sql`${journeys.id} in ${removed} and ${isFree}`)
      .returning({ id: journeys.id }),
    forgotten: db
      .update(devices)
      .set(NOTHING_ENDED)
      .where(and(eq(devices.endedPlanId, id), sql`exists (select 1 from ${travelPlans} where ${isEmpty})`)),
    emptied: db.delete(travelPlans).where(isEmpty),
  };
}
