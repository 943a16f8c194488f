import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { bags, deviceTicketLocks, flights, journeys, plateRanges, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, inList } from "../database/batch.ts";
import { open } from "../secrets/sealed.ts";
import { openPassenger, type SealedPassenger } from "../secrets/sealed-passenger.ts";
import { type FedFlight, type FedJourney, type FedPlan, FeedModel } from "./model.ts";

/** What a feed names: hashes of locators, and plates. */
export interface Named {
  readonly locatorHashes: readonly string[];
  readonly plates: readonly string[];
}

/**
 * The bookings of the caller's airlines that are not yet past and have one of the locators or plates, with
 * everything in them. One D1 call with lists as JSON, whatever the number of messages.
 */
export async function readFeed(ctx: BearerContext, named: Named): Promise<FeedModel> {
  const { passengers, legs, ownBags, locks, taken, ranges } = await inBatch(ctx.db, feedReads(ctx, named));
  const plans = new Map<string, FedPlan>();
  const people = new Map<string, FedJourney>();
  const flown = Map.groupBy(legs, ({ journeyId }) => journeyId);
  const names = await Promise.all(passengers.map((row) => nameOf(ctx, row)));
  const locators = await locatorsOf(ctx, passengers);
  for (const [i, row] of passengers.entries()) {
    const { planId, airline, locatorHash, firstFlightDate } = row;
    const plan = plans.get(planId) ?? {
      ...{ id: planId, airline, locatorHash, firstFlightDate },
      ...{ recordLocator: locators.get(planId) ?? "", journeys: [], isNew: false },
      locks: locks.filter((lock) => lock.planId === planId),
    };
    plans.set(planId, plan);
    const opened = names[i];
    if (opened === undefined) continue;
    const own: readonly FedFlight[] = flown.get(row.id) ?? [];
    const journey: FedJourney = {
      ...{ id: row.id, plan, ...opened, passengerSealed: row.passengerSealed, flights: own, bags: [] },
      ...{ cabin: row.cabin, destinationCity: row.destinationCity },
      ...{ isNew: false, isChanged: false, flightsBefore: own },
    };
    plan.journeys.push(journey);
    people.set(row.id, journey);
  }
  for (const { isLocked, journeyId, ...bag } of ownBags) {
    const journey = people.get(journeyId);
    const loading = journey?.loading[bag.licencePlate] ?? [];
    journey?.bags.push({ ...bag, journey, loading, isLocked: isLocked !== 0, isChanged: false });
  }
  const inUse = taken.map((bag) => ({ ...bag, isLocked: bag.isLocked !== 0 }));
  const restDays = ctx.settings.limits.plateRestDays;
  return new FeedModel([...plans.values()], { taken: inUse, ranges, restDays });
}

/** The statements of {@link readFeed}. */
export const feedReads = (ctx: BearerContext, named: Named) => ({
  passengers: passengersOf(ctx, named),
  legs: legsOf(ctx, named),
  ownBags: bagsOf(ctx, named),
  locks: locksOf(ctx, named),
  taken: takenPlates(ctx, named.plates),
  ranges: readRanges(ctx),
});

/**
 * Ids of the bookings, found by two indexes. SQLite must not begin with the airline, which has many bookings,
 * while few are named; the sign + prevents that.
 */
function planIds({ db, now, principal }: BearerContext, { locatorHashes, plates }: Named) {
  const isOwn = sql`${travelPlans.endsAt} > ${now} and +${travelPlans.airline} in ${inList(principal.airlines)}`;
  const ids = { id: travelPlans.id };
  const withBags = db
    .select({ planId: journeys.planId })
    .from(journeys)
    .where(
      inArray(
        journeys.id,
        db
          .select({ id: bags.journeyId })
          .from(bags)
          .where(inArray(bags.licencePlate, inList(plates))),
      ),
    );
  const byLocator = db
    .select(ids)
    .from(travelPlans)
    .where(and(inArray(travelPlans.locatorHash, inList(locatorHashes)), isOwn));
  const byPlate = db
    .select(ids)
    .from(travelPlans)
    .where(and(inArray(travelPlans.id, withBags), isOwn));
  return byLocator.union(byPlate);
}

const passengersOf = (ctx: BearerContext, named: Named) =>
  ctx.db
    .select({
      id: journeys.id,
      planId: journeys.planId,
      airline: travelPlans.airline,
      locatorHash: travelPlans.locatorHash,
      locatorSealed: travelPlans.locatorSealed,
      firstFlightDate: travelPlans.firstFlightDate,
      passengerSealed: journeys.passengerSealed,
      cabin: journeys.cabin,
      destinationCity: journeys.destinationCity,
    })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .where(inArray(travelPlans.id, planIds(ctx, named)))
    .orderBy(travelPlans.firstFlightDate, travelPlans.endsAt, journeys.id);

const journeyIds = (ctx: BearerContext, named: Named) =>
  ctx.db
    .select({ id: journeys.id })
    .from(journeys)
    .where(inArray(journeys.planId, planIds(ctx, named)));

const legsOf = (ctx: BearerContext, named: Named) =>
  ctx.db
    .select()
    .from(flights)
    .where(inArray(flights.journeyId, journeyIds(ctx, named)))
    .orderBy(flights.journeyId, flights.position);

const bagsOf = (ctx: BearerContext, named: Named) =>
  ctx.db
    .select({
      id: bags.id,
      journeyId: bags.journeyId,
      licencePlate: bags.licencePlate,
      flightDate: bags.flightDate,
      readable: bags.readable,
      flags: bags.flags,
      isLocked: isLocked(ctx).as("is_locked"),
    })
    .from(bags)
    .where(inArray(bags.journeyId, journeyIds(ctx, named)))
    .orderBy(bags.position, bags.id);

/**
 * Condition over `bags`: some tag is locked to the bag. Written out, because a select of one table drops the
 * tables' names.
 */
export const isLocked = ({ now }: BearerContext): SQL<number> =>
  sql<number>`exists (select 1 from ${deviceTicketLocks}
    where ${deviceTicketLocks.planId} = (select ${journeys.planId} from ${journeys} where ${journeys.id} = "bags"."journey_id")
      and ${deviceTicketLocks.baggageId} = "bags"."id" and ${deviceTicketLocks.endsAt} > ${now})`;

const locksOf = (ctx: BearerContext, named: Named) =>
  ctx.db
    .select({
      planId: deviceTicketLocks.planId,
      lockedAt: deviceTicketLocks.lockedAt,
      endsAt: deviceTicketLocks.endsAt,
      entitled: deviceTicketLocks.entitled,
    })
    .from(deviceTicketLocks)
    .where(
      and(inArray(deviceTicketLocks.planId, planIds(ctx, named)), gt(deviceTicketLocks.endsAt, ctx.now)),
    );

/** Where the plates are in use, at any airline. */
const takenPlates = (ctx: BearerContext, plates: readonly string[]) =>
  ctx.db
    .select({
      id: bags.id,
      licencePlate: bags.licencePlate,
      flightDate: bags.flightDate,
      airline: travelPlans.airline,
      isLocked: isLocked(ctx).as("is_locked"),
    })
    .from(bags)
    .innerJoin(journeys, eq(journeys.id, bags.journeyId))
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .where(inArray(bags.licencePlate, inList(plates)));

/** One row for each airline that has a range. */
const readRanges = ({ db }: BearerContext) => {
  const { airline, leading, issuer, firstSerial, lastSerial } = plateRanges;
  return db.select({ airline, leading, issuer, firstSerial, lastSerial }).from(plateRanges);
};

/** By the booking's id: the match forms of passengers who are added depend on it. Empty once it is erased. */
async function locatorsOf(
  { settings }: BearerContext,
  rows: readonly { readonly planId: string; readonly locatorSealed: string }[],
): Promise<ReadonlyMap<string, string>> {
  const sealed = new Map(rows.map(({ planId, locatorSealed }) => [planId, locatorSealed]));
  const opened = [...sealed].map(async ([id, text]) => {
    const locator = text === "" ? "" : await open(settings.dataKey, { field: "locator", id }, text);
    return [id, locator] as const;
  });
  return new Map(await Promise.all(opened));
}

async function nameOf(
  { settings }: BearerContext,
  { id, passengerSealed }: { readonly id: string; readonly passengerSealed: string | null },
): Promise<SealedPassenger | undefined> {
  return passengerSealed === null ? undefined : openPassenger(settings.dataKey, id, passengerSealed);
}
