import { and, eq, exists, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import type { BaggageTagRequest, Journey } from "../../core/api/index.ts";
import { bags, journeys, plateRanges, travelPlans } from "../../db/schema.ts";
import { audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/batch.ts";
import { complete, isUnused, outcomeOf, type Replayable } from "../database/idempotency.ts";
import { ApiError } from "../errors.ts";
import type { Http, Keyable } from "../http/route.ts";
import { freeBagId, nextPosition } from "./bag-ids.ts";
import { withCityNames } from "./city-names.ts";
import { canAddTo, countRead, visibleTo } from "./own-journeys.ts";
import { allocatedPlate, allocatePlate, foreignOwner, isAllocated } from "./plates.ts";
import { readJourneys, viewJourneys } from "./view.ts";

/**
 * Adds a bag to a journey the caller may see (rules §4), all in one batch. Without `lpn` the airline's range
 * gives the plate; with `slotNumber` n nothing is added if there are n bags already. With `lpn` the answer is
 * the bag with that plate. A passenger may only name a bag that is already there; staff may add one.
 *
 * Throws `journey_not_found`, `bag_limit`, `baggage_not_found` (a plate the caller may not use here), `insufficient_scope` (a
 * plate of another airline's range),
 * `required_info_not_provided` (an airline without a range), `service_unavailable` (a range without a free
 * plate), `idempotency_key_reused`.
 */
export async function addBag(
  ctx: BearerContext,
  request: BaggageTagRequest,
  { param, keyed }: Pick<Http, "param"> & Keyable,
): Promise<Replayable<Journey>> {
  const journeyId = param("journeyId");
  const attempt = attemptOf(ctx, journeyId, request);
  const may = and(attempt.isVisible, attempt.hasRoom, isUnused(ctx, keyed)) as SQL;
  const { range, completed, read } = await inBatch(ctx.db, {
    added: addition(ctx, journeyId, request, may),
    audit: auditBag(ctx, journeyId),
    version: countVersion(ctx, journeyId),
    range: readRange(ctx, attempt),
    completed: complete(ctx, keyed, decideOutcome(ctx, attempt, request)),
    counted: countRead(ctx, journeyId),
    read: readJourneys(ctx, and(eq(journeys.id, journeyId), visibleTo(ctx))),
  });
  const { decided, records = [] } = completed;
  if (decided.length + records.length === 0) throw withoutPlate(range.length > 0);
  const { isReplay } = outcomeOf(keyed, completed);
  const [answer] = await withCityNames(ctx, await viewJourneys(ctx, read));
  if (answer === undefined) throw new ApiError("journey_not_found");
  return { answer, isReplay };
}

/** No decision, so nothing is recorded: the next try may find what is missing. */
const withoutPlate = (hasRange: boolean) =>
  hasRange
    ? new ApiError("service_unavailable", { reason: "no free licence plate" })
    : new ApiError("required_info_not_provided", {
        message: "Mandatory information is missing: lpn.",
        errors: ["lpn is required: the airline has no range of licence plates"],
      });

/** Conditions over `journeys` and `travel_plans`. */
interface BagConditions {
  readonly isVisible: SQL;
  readonly bagCount: SQL<number>;
  /** Whether one more bag is wanted and allowed. */
  readonly hasRoom: SQL;
  readonly isSlotTaken: SQL;
}

function attemptOf(
  ctx: BearerContext,
  journeyId: string,
  { lpn, slotNumber }: BaggageTagRequest,
): BagConditions {
  const { now, settings } = ctx;
  const isLive = and(
    eq(journeys.id, journeyId),
    gt(travelPlans.endsAt, now),
    isNotNull(journeys.passengerSealed),
  );
  const bagCount = sql<number>`(select count(*) from ${bags} where ${bags.journeyId} = ${journeyId})`;
  const isSlotTaken =
    lpn === undefined && slotNumber !== undefined ? sql`${bagCount} >= ${slotNumber}` : sql`false`;
  return {
    isVisible: and(isLive, canAddTo(ctx)) as SQL,
    bagCount,
    hasRoom: sql`${bagCount} < ${settings.limits.maxBagsPerJourney} and not ${isSlotTaken}`,
    isSlotTaken,
  };
}

/** The statements that add the bag, if `may` holds; none for a passenger who names a plate. */
function addition(ctx: BearerContext, journeyId: string, { lpn }: BaggageTagRequest, may: SQL) {
  if (lpn === undefined) return [allocatePlate(ctx, may), insertAllocated(ctx, journeyId)];
  return ctx.principal.staff ? [insertNamed(ctx, lpn, may)] : [];
}

const journeyWithPlan = sql`${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}`;

/** A new bag of the journey that is selected. */
const newBag = (ctx: BearerContext, licencePlate: string | SQL) => ({
  id: freeBagId(ctx),
  journeyId: journeys.id,
  position: nextPosition(sql`${journeys.id}`),
  licencePlate,
  flightDate: travelPlans.firstFlightDate,
  requestId: ctx.requestId,
});

/** The bag with the plate that this request took, if it took one. */
const insertAllocated = (ctx: BearerContext, journeyId: string) =>
  insertFrom(
    ctx.db,
    bags,
    { ...newBag(ctx, allocatedPlate.digits), readable: allocatedPlate.readable },
    sql`from ${journeyWithPlan} inner join ${plateRanges} on ${plateRanges.airline} = ${travelPlans.airline}
      where ${journeys.id} = ${journeyId} and ${isAllocated(ctx)}`,
  );

/** The bag with a plate that staff has at hand, unless another bag carries it on that day, or it is another airline's. */
const insertNamed = (ctx: BearerContext, licencePlate: string, may: SQL) =>
  insertFrom(
    ctx.db,
    bags,
    newBag(ctx, licencePlate),
    sql`from ${journeyWithPlan} where ${may} and ${foreignOwner(licencePlate)} is null`,
  ).onConflictDoNothing();

/** Whether this request added a bag to the journey. */
const hasAdded = ({ db, requestId }: BearerContext, journeyId: SQL | string): SQL =>
  exists(
    db
      .select({ id: bags.id })
      .from(bags)
      .where(and(eq(bags.journeyId, sql`${journeyId}`), eq(bags.requestId, requestId))),
  );

const auditBag = (ctx: BearerContext, journeyId: string) =>
  audited(
    ctx,
    {
      ...{ event: "bag_added", ...byCaller(ctx), airline: travelPlans.airline },
      ...{ journeyId: journeys.id, baggageId: bags.id, licencePlate: bags.licencePlate },
    },
    sql`from ${journeyWithPlan} inner join ${bags} on ${bags.journeyId} = ${journeys.id}
      where ${journeys.id} = ${journeyId} and ${bags.requestId} = ${ctx.requestId}`,
  );

const countVersion = (ctx: BearerContext, journeyId: string) =>
  ctx.db
    .update(journeys)
    .set({ version: sql`${journeys.version} + 1` })
    .where(and(eq(journeys.id, journeyId), hasAdded(ctx, journeyId)));

/** The range of the journey's airline, whatever is left of it. */
const readRange = ({ db }: BearerContext, { isVisible }: BagConditions) =>
  db
    .select({ airline: plateRanges.airline })
    .from(journeys)
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .innerJoin(plateRanges, eq(plateRanges.airline, travelPlans.airline))
    .where(isVisible);

/** One row, or none if no plate was available. */
function decideOutcome(ctx: BearerContext, attempt: BagConditions, { lpn }: BaggageTagRequest): SQL {
  const { isVisible, bagCount, isSlotTaken } = attempt;
  const seen = sql`(select ${journeys.id} from ${journeys}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId} where ${isVisible})`;
  const isFull = sql`${bagCount} >= ${ctx.settings.limits.maxBagsPerJourney}`;
  const wanted = lpn === undefined ? eq(bags.requestId, ctx.requestId) : eq(bags.licencePlate, lpn);
  const isOnJourney = sql`exists (select 1 from ${bags} where ${bags.journeyId} = ${seen} and ${wanted})`;
  const canAdd = lpn === undefined || ctx.principal.staff;
  const isTaken = sql`exists (select 1 from ${bags}
    where ${bags.licencePlate} = ${lpn ?? ""} and ${bags.flightDate} = ${travelPlans.firstFlightDate})`;
  const owner =
    lpn === undefined || !canAdd
      ? sql`null`
      : sql`(select ${foreignOwner(lpn)} from ${journeyWithPlan} where ${isVisible} and not ${isTaken})`;
  return sql`select outcome, case outcome when 'insufficient_scope'
      then json_object('errors', json_array('lpn is of the range of ' || owner)) else '{}' end as facts
    from (select owner, case
      when not exists ${seen} then 'journey_not_found'
      when ${isOnJourney} or ${isSlotTaken} then 'ok'
      ${canAdd ? sql`when ${isFull} then 'bag_limit'` : sql``}
      when owner is not null then 'insufficient_scope'
      ${lpn === undefined ? sql`` : sql`else 'baggage_not_found'`} end as outcome
      from (select ${owner} as owner))
    where outcome is not null`;
}
