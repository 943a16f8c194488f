import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Journey, JourneyListResponse } from "../../core/api/index.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { countStaffRead } from "../audit/staff-reads.ts";
import type { BearerContext, Reader } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { readingFirst } from "../http/read-first.ts";
import type { Http } from "../http/route.ts";
import { ofAirlines } from "./airlines.ts";
import { viewWithPlaces } from "./places.ts";
import { type JourneyRows, readJourneys } from "./view.ts";

/** The journeys that a caller has loaded, until they are past. */
export const ownJourneys = readingFirst(
  async (ctx: BearerContext): Promise<JourneyListResponse> => {
    const rows = ctx.firstRead as JourneyRows;
    return { journeys: [...(await viewWithPlaces(ctx, rows))] };
  },
  (ctx, principal) => readLoaded({ ...ctx, principal }),
);

/** One of these journeys; staff see every journey of their airlines. Throws `journey_not_found`. */
export const ownJourney = readingFirst(
  async (ctx: BearerContext, _input: unknown, { param }: Pick<Http, "param">): Promise<Journey> => {
    const rows = (ctx.firstRead as JourneyRows | undefined) ?? (await readForStaff(ctx, param("journeyId")));
    const [journey] = await viewWithPlaces(ctx, rows);
    if (journey === undefined) throw new ApiError("journey_not_found");
    return journey;
  },
  (ctx, principal, _input, { param }) =>
    principal.staff ? undefined : readLoaded({ ...ctx, principal }, eq(journeys.id, param("journeyId"))),
);

const readLoaded = (ctx: Reader, which?: SQL) => readJourneys(ctx, and(loadedBy(ctx), which));

/** Their airlines are the session's, and the journeys they read are counted. */
async function readForStaff(ctx: BearerContext, journeyId: string): Promise<JourneyRows> {
  const { read } = await inBatch(ctx.db, {
    counted: countRead(ctx, journeyId),
    read: readJourneys(ctx, and(eq(journeys.id, journeyId), visibleTo(ctx))),
  });
  return read;
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
export const canAddTo = (ctx: BearerContext): SQL =>
  ctx.principal.staff ? ofAirlines(ctx.principal.airlines) : loadedBy(ctx, "own");

/**
 * A condition over `travel_plans`: the caller has loaded it or, unless `own` is required, is its delegate (rules §5,
 * "Delegates"). By a list, which begins at the caller's rows: `exists` reads every live booking.
 */
export const loadedBy = ({ db, principal }: Reader, whose: "own" | "any" = "any"): SQL =>
  inArray(
    travelPlans.id,
    db
      .select({ planId: loadedPlans.planId })
      .from(loadedPlans)
      .where(
        and(
          eq(loadedPlans.sub, principal.sub),
          whose === "own" ? isNull(loadedPlans.delegationId) : undefined,
        ),
      ),
  );
