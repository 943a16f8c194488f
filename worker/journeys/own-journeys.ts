import { and, eq, exists, isNull, type SQL } from "drizzle-orm";
import type { Journey, JourneyListResponse } from "../../core/api/index.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { countStaffRead } from "../audit/staff-reads.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { ofAirlines } from "./airlines.ts";
import { readJourneys, viewJourneys } from "./view.ts";

/** The journeys that a caller has loaded, until they are past. */

export async function ownJourneys(ctx: BearerContext): Promise<JourneyListResponse> {
  const rows = await inBatch(ctx.db, readJourneys(ctx, loadedBy(ctx)));
  return { journeys: [...(await viewJourneys(ctx, rows))] };
}

/** One of these journeys; staff see every journey of their airlines. Throws `journey_not_found`. */
export async function ownJourney(ctx: BearerContext, journeyId: string): Promise<Journey> {
  const { read } = await inBatch(ctx.db, {
    counted: countRead(ctx, journeyId),
    read: readJourneys(ctx, and(eq(journeys.id, journeyId), visibleTo(ctx))),
  });
  const [journey] = await viewJourneys(ctx, read);
  if (journey === undefined) throw new ApiError("journey_not_found");
  return journey;
}

/** Counts that staff are shown a journey: a statement, for the batch that reads it. */
export const countRead = (ctx: BearerContext, journeyId: string) =>
  countStaffRead(
    ctx,
    sql`from ${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
      where ${journeys.id} = ${journeyId} and ${journeys.passengerSealed} is not null
      and ${travelPlans.endsAt} > ${ctx.now} and ${visibleTo(ctx)}`,
  );

/** A condition over `travel_plans`: the caller may see its journeys. */
export const visibleTo = (ctx: BearerContext): SQL =>
  ctx.principal.staff ? ofAirlines(ctx.principal.airlines) : loadedBy(ctx);

/** The same, and may add to them: a delegate may not. */
export const mayAddTo = (ctx: BearerContext): SQL =>
  ctx.principal.staff ? ofAirlines(ctx.principal.airlines) : loadedBy(ctx, "own");

/** A condition over `travel_plans`: the caller has loaded it, or unless `own` is asked for, was given it (rules §5, "Delegates"). */
export const loadedBy = ({ db, principal }: BearerContext, whose: "own" | "any" = "any"): SQL =>
  exists(
    db
      .select({ planId: loadedPlans.planId })
      .from(loadedPlans)
      .where(
        and(
          eq(loadedPlans.sub, principal.sub),
          eq(loadedPlans.planId, travelPlans.id),
          whose === "own" ? isNull(loadedPlans.delegationId) : undefined,
        ),
      ),
  );
