import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Journey, JourneyListResponse } from "../../core/api/index.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { countStaffRead } from "../audit/staff-reads.ts";
import type { BearerContext, Reader } from "../context.ts";
import { inBatch, parameter } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { readingFirst } from "../http/read-first.ts";
import type { Http } from "../http/route.ts";
import { ofAirlines, ofTheirAirlines } from "./airlines.ts";
import { viewWithPlaces } from "./places.ts";
import { type JourneyTexts, readingJourneys } from "./view.ts";

/** The journeys that a caller has loaded, until they are past. */
export const ownJourneys = readingFirst(
  async (ctx: BearerContext): Promise<JourneyListResponse> => {
    const { read } = ctx.firstRead as FirstRead;
    return { journeys: [...(await viewWithPlaces(ctx, read))] };
  },
  (ctx, principal) => ({ read: readLoaded({ ...ctx, principal }) }),
);

/** One of these journeys; staff see every journey of their airlines. Throws `journey_not_found`. */
export const ownJourney = readingFirst(
  async (ctx: BearerContext, _input: unknown, { param }: Pick<Http, "param">): Promise<Journey> => {
    const { read } =
      (ctx.firstRead as FirstRead | undefined) ?? (await readForStaff(ctx, param("journeyId")));
    const [journey] = await viewWithPlaces(ctx, read);
    if (journey === undefined) throw new ApiError("journey_not_found");
    return journey;
  },
  (ctx, principal, _input, { param }) =>
    principal.staff
      ? undefined
      : { read: readLoadedOne({ ...ctx, principal }, { journeyId: param("journeyId") }) },
);

/** Their airlines are the session's, and the journeys they read are counted. */
const readForStaff = (ctx: BearerContext, journeyId: string): Promise<FirstRead> =>
  inBatch(ctx.db, { counted: countRead(ctx, journeyId), read: readVisible(ctx, journeyId) });

interface FirstRead {
  readonly read: JourneyTexts;
}

const isNamed = sql`${journeys.id} = ${parameter("journeyId")}`;
/** {@link loadedBy} the caller, in the parameter `sub`. */
const loaded = sql`${travelPlans.id} in (select ${loadedPlans.planId} from ${loadedPlans}
  where ${loadedPlans.sub} = ${parameter("sub")})`;
const readLoaded = readingJourneys(loaded);
const readLoadedOne = readingJourneys(sql`${isNamed} and ${loaded}`);
const readAirlinesOne = readingJourneys(sql`${isNamed} and ${ofTheirAirlines}`);

/** The journey, if the caller may see it ({@link visibleTo}): a statement. */
export const readVisible = (ctx: BearerContext, journeyId: string) =>
  ctx.principal.staff
    ? readAirlinesOne(ctx, { journeyId, airlines: JSON.stringify(ctx.principal.airlines) })
    : readLoadedOne(ctx, { journeyId });

/** Counts that staff are shown a journey: a statement, for the batch that reads it. */
export const countRead = (ctx: BearerContext, journeyId: string) =>
  countStaffRead(
    ctx,
    sql`from ${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
      where ${journeys.id} = ${journeyId} and ${journeys.passengerSealed} is not null
      and ${travelPlans.endsAt} > ${ctx.now} and ${visibleTo(ctx)}`,
  );

/** A condition over `travel_plans`: the caller may see its journeys or, of their `own`, add to them: a delegate may not. */
export const visibleTo = (ctx: BearerContext, whose?: "own"): SQL =>
  ctx.principal.staff ? ofAirlines(ctx.principal.airlines) : loadedBy(ctx, whose);

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
