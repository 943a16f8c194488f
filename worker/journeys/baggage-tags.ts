import { and, eq, exists, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import type {
  BagAcceptance,
  BagAllowance,
  BaggageTagRequest,
  BaggageTagResponse,
  Journey,
} from "../../core/api/index.ts";
import { acceptanceHosts, bags, journeys, plateRanges, travelPlans } from "../../db/schema.ts";
import type { Host } from "../acceptance/ask.ts";
import { askForBag, type Grant, refused, unanswered } from "../acceptance/bag.ts";
import { audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/batch.ts";
import { complete, isUnused, outcomeOf, type Replayable } from "../database/idempotency.ts";
import { ApiError } from "../errors.ts";
import type { Http, Keyable } from "../http/route.ts";
import { freeBagId, nextPosition } from "./bag-ids.ts";
import { countRead, readVisible, visibleTo } from "./own-journeys.ts";
import { viewWithPlaces } from "./places.ts";
import { allocatedPlate, allocatePlate, foreignOwner, isAllocated, isInUse } from "./plates.ts";
import { firstRow, type JourneyRow, namesOf } from "./view.ts";

/**
 * Adds a bag to a journey the caller may see (rules §4), all in one batch. Without `lpn` the airline's range
 * gives the plate; with `slotNumber` n nothing is added if there are n bags already. With `lpn` the answer is
 * the bag with that plate. A passenger may only name a bag that is already there; staff may add one.
 *
 * Where the airline has a host, that batch adds nothing. The host is asked, and a second batch adds what it allows, under the
 * same conditions.
 *
 * Throws `journey_not_found`, `bag_limit`, `bag_refused`, `baggage_not_found` (a plate the caller may not use here),
 * `insufficient_scope` (a plate of another airline's range),
 * `required_info_not_provided` (an airline without a range), `service_unavailable` (a range without a free
 * plate, a host without an answer), `idempotency_key_reused`.
 */
export async function addBag(
  ctx: BearerContext,
  request: BaggageTagRequest,
  http: AddHttp,
): Promise<Replayable<BaggageTagResponse>> {
  const first = await tryToAdd(ctx, request, http);
  if (first.added !== undefined) return first.added;
  if (first.host === undefined) throw withoutPlate(first.hasRange);
  const language = http.headers.get("Accept-Language")?.slice(0, LONGEST_LANGUAGE);
  const grants = await askForBag(ctx, first.host, await questionOf(ctx, request, first), language);
  let { hasRange } = first;
  for (const grant of grants) {
    const next = await tryToAdd(ctx, request, http, grant);
    if (next.added !== undefined) return next.added;
    if (next.journey.baggage.length >= (grant.allowed?.pieces ?? Number.POSITIVE_INFINITY))
      throw refused("allowance");
    if (grant.plate !== undefined) ctx.unread.add("bag.acceptance: plate in use");
    hasRange = next.hasRange;
  }
  throw grants.at(-1)?.plate === undefined ? withoutPlate(hasRange) : unanswered("plate in use");
}

type AddHttp = Pick<Http, "headers" | "param"> & Keyable;

/** Characters of a caller's Accept-Language that a host is sent. */
const LONGEST_LANGUAGE = 100;

/** What came of an attempt: the answer, or a journey to which nothing was added and nothing refused. */
type Attempt =
  | { readonly added: Replayable<BaggageTagResponse> }
  | {
      readonly added?: undefined;
      readonly row: JourneyRow;
      readonly journey: Journey;
      readonly hasRange: boolean;
      readonly host: Host | undefined;
    };

/** One batch; without a `grant` it adds nothing for an airline that has a host. */
async function tryToAdd(
  ctx: BearerContext,
  request: BaggageTagRequest,
  { param, keyed }: AddHttp,
  grant?: Grant,
): Promise<Attempt> {
  const journeyId = param("journeyId");
  const conditions = conditionsOf(ctx, journeyId, request, grant);
  const { isVisible, hasRoom, isAllowed } = conditions;
  const may = and(isVisible, hasRoom, isAllowed, isUnused(ctx, keyed)) as SQL;
  const { sources, completed, read } = await inBatch(ctx.db, {
    added: addition(ctx, journeyId, request, may, grant),
    audit: auditBag(ctx, journeyId),
    version: countVersion(ctx, journeyId),
    sources: readSources(ctx, conditions),
    completed: complete(ctx, keyed, decideOutcome(ctx, conditions, request, grant)),
    counted: grant === undefined ? countRead(ctx, journeyId) : undefined,
    read: readVisible(ctx, journeyId),
  });
  const { decided, records = [] } = completed;
  const isDecided = decided.length + records.length > 0;
  const outcome = isDecided ? outcomeOf(keyed, completed) : undefined;
  const [journey] = await viewWithPlaces(ctx, read);
  const row = firstRow(read);
  if (journey === undefined || row === undefined) throw new ApiError("journey_not_found");
  const [source] = sources;
  if (outcome === undefined)
    return { row, journey, hasRange: source?.range != null, host: source?.host ?? undefined };
  const { facts, isReplay } = outcome;
  const allowed = Object.keys(facts).length > 0 && { allowed: facts as BagAllowance };
  return { added: { answer: { ...journey, ...allowed }, isReplay } };
}

/** What the host is asked: names as the booking has them, although the caller may see them masked. */
async function questionOf(
  ctx: BearerContext,
  { lpn }: BaggageTagRequest,
  { row, journey }: Extract<Attempt, { readonly added?: undefined }>,
): Promise<BagAcceptance> {
  const named = await namesOf(ctx, row);
  if (named === undefined) throw new ApiError("journey_not_found");
  const { journeyId, flights, cabin, baggage } = journey;
  return {
    ...{ airline: row.airline, ...named, journeyId, flights, ...(cabin !== undefined && { cabin }) },
    bag: { number: baggage.length + 1, ...(lpn !== undefined && { licencePlate: lpn }) },
    licencePlates: baggage.map(({ licencePlate }) => licencePlate),
  };
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
  /** Whether the airline has no host to ask, or its host allows as many. */
  readonly isAllowed: SQL;
}

function conditionsOf(
  ctx: BearerContext,
  journeyId: string,
  { lpn, slotNumber }: BaggageTagRequest,
  grant: Grant | undefined,
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
    isVisible: and(isLive, visibleTo(ctx, "own")) as SQL,
    bagCount,
    hasRoom: sql`${bagCount} < ${settings.limits.maxBagsPerJourney} and not ${isSlotTaken}`,
    isSlotTaken,
    isAllowed:
      grant === undefined
        ? sql`not exists (select 1 from ${acceptanceHosts} where ${acceptanceHosts.airline} =
            (select ${travelPlans.airline} from ${journeyWithPlan} where ${journeys.id} = ${journeyId}))`
        : sql`${bagCount} < ${grant.allowed?.pieces ?? settings.limits.maxBagsPerJourney}`,
  };
}

const journeyWithPlan = sql`${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}`;

/** The statements that add the bag, if `may` holds; none for a passenger who names a plate. */
function addition(
  ctx: BearerContext,
  journeyId: string,
  { lpn }: BaggageTagRequest,
  may: SQL,
  grant: Grant | undefined,
) {
  if (lpn !== undefined) return ctx.principal.staff ? [insertNamed(ctx, lpn, may)] : [];
  if (grant?.plate === undefined) return [allocatePlate(ctx, may), insertAllocated(ctx, journeyId)];
  const { licencePlate, readable } = grant.plate;
  const isFree = sql`not ${isInUse(ctx, licencePlate, travelPlans.firstFlightDate)}`;
  return [insertNamed(ctx, licencePlate, sql`${may} and ${isFree}`, readable)];
}

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

/** The bag with this plate, unless another bag carries it on that day, or it is another airline's. */
const insertNamed = (ctx: BearerContext, licencePlate: string, may: SQL, readable: string | null = null) =>
  insertFrom(
    ctx.db,
    bags,
    { ...newBag(ctx, licencePlate), readable },
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
      event: "bag_added",
      ...byCaller(ctx),
      airline: travelPlans.airline,
      journeyId: journeys.id,
      baggageId: bags.id,
      licencePlate: bags.licencePlate,
    },
    sql`from ${journeyWithPlan} inner join ${bags} on ${bags.journeyId} = ${journeys.id}
      where ${journeys.id} = ${journeyId} and ${bags.requestId} = ${ctx.requestId}`,
  );

const countVersion = (ctx: BearerContext, journeyId: string) =>
  ctx.db
    .update(journeys)
    .set({ version: sql`${journeys.version} + 1` })
    .where(and(eq(journeys.id, journeyId), hasAdded(ctx, journeyId)));

/** The range of the journey's airline, whatever is left of it, and its host. */
const readSources = ({ db }: BearerContext, { isVisible }: BagConditions) =>
  db
    .select({
      range: sql<number | null>`${plateRanges.leading}`.as("range_leading"),
      host: acceptanceHosts,
    })
    .from(journeys)
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .leftJoin(plateRanges, eq(plateRanges.airline, travelPlans.airline))
    .leftJoin(acceptanceHosts, eq(acceptanceHosts.airline, travelPlans.airline))
    .where(isVisible);

/** One row, or none if no plate was available. */
function decideOutcome(
  ctx: BearerContext,
  { isVisible, bagCount, isSlotTaken, isAllowed }: BagConditions,
  { lpn }: BaggageTagRequest,
  grant: Grant | undefined,
): SQL {
  const seen = sql`(select ${journeys.id} from ${journeys}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId} where ${isVisible})`;
  const isFull = sql`${bagCount} >= ${ctx.settings.limits.maxBagsPerJourney}`;
  const wanted = lpn === undefined ? eq(bags.requestId, ctx.requestId) : eq(bags.licencePlate, lpn);
  const isOnJourney = sql`exists (select 1 from ${bags} where ${bags.journeyId} = ${seen} and ${wanted})`;
  const canAdd = lpn === undefined || ctx.principal.staff;
  const isTaken = sql`exists (select 1 from ${bags}
    where ${bags.licencePlate} = ${lpn ?? ""} and ${bags.flightDate} = ${travelPlans.firstFlightDate})`;
  const isTakenHere = sql`exists (select 1 from ${journeyWithPlan} where ${isVisible} and ${isTaken})`;
  const owner =
    lpn === undefined || !canAdd
      ? sql`null`
      : sql`(select ${foreignOwner(lpn)} from ${journeyWithPlan} where ${isVisible} and not ${isTaken})`;
  return sql`select outcome, case outcome when 'insufficient_scope'
      then json_object('errors', json_array('lpn is of the range of ' || owner))
      when 'ok' then ${JSON.stringify(grant?.allowed ?? {})} else '{}' end as facts
    from (select owner, case
      when not exists ${seen} then 'journey_not_found'
      when ${isOnJourney} or ${isSlotTaken} then 'ok'
      ${canAdd ? sql`when ${isFull} then 'bag_limit'` : sql``}
      when owner is not null then 'insufficient_scope'
      ${canAdd ? sql`when not ${isAllowed} and not ${isTakenHere} then null` : sql``}
      ${lpn === undefined ? sql`` : sql`else 'baggage_not_found'`} end as outcome
      from (select ${owner} as owner))
    where outcome is not null`;
}
