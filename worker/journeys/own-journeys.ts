import { and, eq, exists, type SQL } from "drizzle-orm";
import type { Journey, JourneyListResponse } from "../../core/api/index.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { ofAirlines } from "./airlines.ts";
import { readJourneys, viewJourneys } from "./view.ts";

/** The journeys that a caller has loaded, until they are past. */

export async function ownJourneys(ctx: BearerContext): Promise<JourneyListResponse> {
  const rows = await inBatch(ctx.db, readJourneys(ctx, loadedBy(ctx, ctx.principal.sub)));
  return { journeys: [...(await viewJourneys(ctx, rows))] };
}

/** One of these journeys; staff see every journey of their airlines. Throws `journey_not_found`. */
export async function ownJourney(ctx: BearerContext, journeyId: string): Promise<Journey> {
  const rows = await inBatch(ctx.db, readJourneys(ctx, and(eq(journeys.id, journeyId), visibleTo(ctx))));
  const [journey] = await viewJourneys(ctx, rows);
  if (journey === undefined) throw new ApiError("journey_not_found");
  return journey;
}

/** A condition over `travel_plans`: the caller may see its journeys. */
export const visibleTo = (ctx: BearerContext): SQL =>
  ctx.principal.staff ? ofAirlines(ctx.principal.airlines) : loadedBy(ctx, ctx.principal.sub);

/** A condition over `travel_plans`: loaded by `sub`. */
const loadedBy = ({ db }: RequestContext, sub: string): SQL =>
  exists(
    db
      .select({ planId: loadedPlans.planId })
      .from(loadedPlans)
      .where(and(eq(loadedPlans.sub, sub), eq(loadedPlans.planId, travelPlans.id))),
  );
