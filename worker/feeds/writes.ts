import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { foldLocator, plainText } from "../../core/bag/record-locator.ts";
import { storedTokens } from "../../core/bag/surname.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { bags, deviceTicketLocks, flights, journeys, removedBags, travelPlans } from "../../db/schema.ts";
import { type AuditEntry, audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inList, insertFrom, requiring, type Statements } from "../database/batch.ts";
import { freeBagIds, nextPosition } from "../journeys/bag-ids.ts";
import { seal } from "../secrets/sealed.ts";
import { type Loading, sealPassenger } from "../secrets/sealed-passenger.ts";
import { earliestEnd, endOfPlan } from "./lock-ends.ts";
import type { FedJourney, FedPlan, FeedModel, TakenPlate } from "./model.ts";
import { isLocked } from "./reads.ts";

/**
 * Writes what a feed made of a {@link FeedModel}: a few statements for one batch, each with its rows as one
 * JSON text, so that a thousand messages cost no more D1 calls than one. If two requests create the same
 * thing, both use the same id, and the second finds it there.
 */

/** Rows per statement: a bound value may be 2 MB long. */
const CHUNK = 500;

/**
 * Statements behind their guards; undefined where nothing changed. Two messages at once about bags of one passenger must not
 * lose each other's `.S` and `.W`, which are sealed together, nor may a bag go whose tag has been locked since the read.
 */
export async function feedWrites(ctx: BearerContext, model: FeedModel): Promise<Statements | undefined> {
  const all = model.plans.flatMap((plan) => plan.journeys);
  const fresh = all.filter(({ isNew }) => isNew);
  const changed = all.filter((journey) => journey.isChanged && !journey.isNew);
  const reflown = changed.filter(({ flights: now, flightsBefore }) => now !== flightsBefore);
  const added = all.flatMap((journey) => journey.bags.filter(({ id }) => id === undefined));
  const edited = all.flatMap((journey) =>
    journey.bags.filter((bag) => bag.id !== undefined && bag.isChanged),
  );
  const plans = await Promise.all(model.plans.filter(({ isNew }) => isNew).map((plan) => planRow(ctx, plan)));
  const people = await Promise.all(fresh.map((journey) => journeyRow(ctx, journey)));
  const reloaded = all.filter(hasOtherLoading);
  const deleted = model.deleted.flatMap(({ id }) => id ?? []);
  const ids = [...deleted, ...model.displaced.flatMap(({ id }) => id ?? [])];
  const statements = [
    ...chunked(reloaded.map(beforeRow), (rows) => requireUnchanged(ctx, rows)),
    ...chunked(ids, (rows) => requireUnlocked(ctx, rows)),
    ...chunked(deleted, (rows) => reportDeleted(ctx, rows)).flat(),
    ...chunked(model.displaced, (rows) => reportDisplaced(ctx, rows)).flat(),
    // First, so that a plate taken off one bag can go on another.
    ...chunked(ids, (rows) => ctx.db.delete(bags).where(inArray(bags.id, inList(rows)))),
    ...chunked(plans, (rows) => insertPlans(ctx, rows)),
    ...chunked(people, (rows) => insertJourneys(ctx, rows)),
    ...chunked(changed.map(changeRow), (rows) => updateJourneys(ctx, rows)),
    ...chunked(await sealedRows(ctx, reloaded), (rows) => resealJourneys(ctx, rows)),
    ...chunked(
      reflown.map(({ id }) => id),
      (ids) => deleteFlights(ctx, ids),
    ),
    ...chunked([...fresh, ...reflown].flatMap(flightRows), (rows) => insertFlights(ctx, rows)),
    ...chunked(reflown.filter(hasMoved).map(moveRow), (rows) => moveBags(ctx, rows)),
    ...chunked(added.map(bagRow), (rows) => insertBags(ctx, rows)),
    ...chunked(edited.map(editRow), (rows) => updateBags(ctx, rows)),
    ...chunked(
      [...new Set([...fresh, ...reflown].map(({ plan }) => plan))]
        .filter(({ isNew }) => !isNew)
        .map((plan) => ({ id: plan.id, earliest: earliestEnd(ctx, plan) })),
      (rows) => ends(ctx, rows),
    ).flat(),
  ];
  return statements.length === 0 ? undefined : { statements };
}

function chunked<T, Statement>(
  rows: readonly T[],
  statement: (rows: readonly T[]) => Statement,
): Statement[] {
  const count = Math.ceil(rows.length / CHUNK);
  return Array.from({ length: count }, (_, i) => statement(rows.slice(i * CHUNK, (i + 1) * CHUNK)));
}

/** The rows of a JSON array; `field` reads one of them. */
const fed = (rows: readonly unknown[]): SQL => sql`json_each(${JSON.stringify(rows)}) as fed`;
const field = (name: string): SQL => sql`(fed.value ->> ${sql.raw(`'${name}'`)})`;
const fields = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, field(name)])) as { readonly [N in Name]: SQL };

async function planRow({ settings }: BearerContext, plan: FedPlan) {
  const { id, airline, locatorHash, recordLocator, firstFlightDate } = plan;
  return {
    id,
    airline,
    locatorHash,
    firstFlightDate,
    locatorSealed: await seal(settings.dataKey, { field: "locator", id }, recordLocator),
    endsAt: endOfPlan(settings.limits, plan),
  };
}

const insertPlans = ({ db }: BearerContext, rows: readonly unknown[]) =>
  insertFrom(
    db,
    travelPlans,
    fields("id", "airline", "locatorHash", "locatorSealed", "firstFlightDate", "endsAt"),
    sql`from ${fed(rows)} where true`,
  ).onConflictDoNothing();

async function journeyRow(ctx: BearerContext, journey: FedJourney) {
  const { plan, passenger } = journey;
  const tokens = await storedTokens(
    ctx.settings.pepperKey,
    foldLocator(plan.recordLocator),
    passenger.surname,
  );
  return {
    ...(await sealedRow(ctx, journey)),
    planId: plan.id,
    surnameTokens: toBase64Url(tokens),
    surnameInitial: [...plainText(passenger.surname)][0] ?? "",
    ...endpointsOf(journey),
    destinationCity: journey.destinationCity,
    cabin: journey.cabin,
  };
}

/** Without those of bags that are gone. */
const loadingOf = ({ bags: own }: FedJourney): Loading =>
  Object.fromEntries(
    own.flatMap(({ licencePlate, loading }) => (loading.length > 0 ? [[licencePlate, loading]] : [])),
  );

const hasOtherLoading = (journey: FedJourney) => !isSame(loadingOf(journey), journey.loading);

const isSame = (a: Loading, b: Loading) => spelled(a) === spelled(b);
const spelled = (one: Loading) => JSON.stringify(Object.entries(one).toSorted());

async function sealedRow({ settings }: BearerContext, journey: FedJourney) {
  const { id, passenger } = journey;
  const opened = { passenger, loading: loadingOf(journey) };
  return { id, passengerSealed: await sealPassenger(settings.dataKey, id, opened) };
}

const sealedRows = (ctx: BearerContext, all: readonly FedJourney[]) =>
  Promise.all(all.filter(({ isNew }) => !isNew).map((journey) => sealedRow(ctx, journey)));

const beforeRow = ({ id, passengerSealed }: FedJourney) => ({ id, passengerSealed });

const requireUnchanged = ({ db }: BearerContext, rows: readonly unknown[]) =>
  requiring(
    db,
    sql`not exists (select 1 from ${fed(rows)} left join ${journeys} on ${journeys.id} = ${field("id")}
      where ${journeys.passengerSealed} is not ${field("passengerSealed")})`,
  );

const resealJourneys = ({ db }: BearerContext, rows: readonly unknown[]) =>
  db
    .update(journeys)
    .set({ passengerSealed: field("passengerSealed") })
    .from(fed(rows))
    .where(eq(journeys.id, field("id")));

const endpointsOf = ({ flights: own }: Pick<FedJourney, "flights">) => ({
  departureAirport: own[0]?.from ?? "",
  destinationAirport: own.at(-1)?.to ?? "",
});

const insertJourneys = ({ db }: BearerContext, rows: readonly unknown[]) =>
  insertFrom(
    db,
    journeys,
    {
      ...fields("id", "planId", "passengerSealed", "surnameTokens", "surnameInitial"),
      ...fields("departureAirport", "destinationAirport", "destinationCity", "cabin"),
      version: 1,
    },
    sql`from ${fed(rows)}
      where exists (select 1 from ${travelPlans} where ${travelPlans.id} = ${field("planId")})`,
  ).onConflictDoNothing();

const changeRow = (journey: FedJourney) => ({
  id: journey.id,
  ...endpointsOf(journey),
  destinationCity: journey.destinationCity,
  cabin: journey.cabin,
});

const updateJourneys = ({ db }: BearerContext, rows: readonly unknown[]) =>
  db
    .update(journeys)
    .set({
      departureAirport: field("departureAirport"),
      destinationAirport: field("destinationAirport"),
      destinationCity: field("destinationCity"),
      cabin: field("cabin"),
      version: sql`${journeys.version} + 1`,
    })
    .from(fed(rows))
    .where(eq(journeys.id, field("id")));

const deleteFlights = ({ db }: BearerContext, ids: readonly string[]) =>
  db.delete(flights).where(inArray(flights.journeyId, inList(ids)));

const flightRows = ({ id, flights: own }: FedJourney) =>
  own.map((flight, position) => ({ ...flight, journeyId: id, position }));

const insertFlights = ({ db }: BearerContext, rows: readonly unknown[]) =>
  insertFrom(
    db,
    flights,
    {
      ...fields("journeyId", "position", "carrier", "number", "date", "from", "to"),
      ...fields("scheduledDeparture", "scheduledArrival"),
    },
    sql`from ${fed(rows)}
      where exists (select 1 from ${journeys} where ${journeys.id} = ${field("journeyId")})`,
  ).onConflictDoNothing();

const hasMoved = ({ flights: own, flightsBefore }: FedJourney) => own[0]?.date !== flightsBefore[0]?.date;
const moveRow = ({ id, flights: own, flightsBefore }: FedJourney) => ({
  id,
  from: flightsBefore[0]?.date ?? null,
  to: own[0]?.date ?? null,
});

/** Bags follow their journey's day; one whose plate is in use on the new day stays where it was. */
const moveBags = ({ db }: BearerContext, rows: readonly unknown[]) =>
  db
    .update(bags)
    .set({ flightDate: field("to") })
    .from(fed(rows))
    .where(
      sql`${bags.journeyId} = ${field("id")} and ${bags.flightDate} = ${field("from")} and not exists (
        select 1 from ${bags} as other where other.licence_plate = ${bags.licencePlate}
          and other.flight_date = ${field("to")})`,
    );

const bagRow = ({ licencePlate, flightDate, journey, readable, flags }: FeedModel["deleted"][number]) => ({
  licencePlate,
  flightDate,
  readable,
  flags,
  journeyId: journey.id,
});

/** The limit of bags also holds against requests that run at the same time. */
const insertBags = (ctx: BearerContext, rows: readonly unknown[]) =>
  insertFrom(
    ctx.db,
    bags,
    {
      id: sql`free.id`,
      journeyId: sql`wanted.journey_id`,
      position: sql`${nextPosition(sql`wanted.journey_id`)} - 1 + wanted.nth`,
      licencePlate: sql`wanted.plate`,
      flightDate: sql`wanted.day`,
      readable: sql`wanted.readable`,
      flags: sql`wanted.flags`,
    },
    sql`from (
        select ${field("journeyId")} as journey_id, ${field("licencePlate")} as plate, ${field("flightDate")} as day,
          ${field("readable")} as readable, ${field("flags")} as flags,
          row_number() over (partition by ${field("journeyId")} order by fed.key) as nth, fed.key + 1 as place
        from ${fed(rows)}
      ) as wanted inner join ${freeBagIds(ctx, rows.length)} as free on free.n = wanted.place
      where exists (select 1 from ${journeys} where ${journeys.id} = wanted.journey_id)
          and nth + (select count(*) from ${bags} where ${bags.journeyId} = wanted.journey_id)
            <= ${ctx.settings.limits.maxBagsPerJourney}`,
  ).onConflictDoNothing();

const editRow = ({ id, readable, flags }: FeedModel["deleted"][number]) => ({ id, readable, flags });

const updateBags = ({ db }: BearerContext, rows: readonly unknown[]) =>
  db
    .update(bags)
    .set({ readable: field("readable"), flags: field("flags") })
    .from(fed(rows))
    .where(eq(bags.id, field("id")));

/** The lock would point at nothing. */
const requireUnlocked = (ctx: BearerContext, ids: readonly number[]) =>
  requiring(
    ctx.db,
    sql`not exists (select 1 from ${bags} where ${inArray(bags.id, inList(ids))} and ${isLocked(ctx)})`,
  );

/** An own bag goes, by its airline's message or because another booking of the airline takes its plate. */
const reportDeleted = (ctx: BearerContext, ids: readonly number[]) =>
  recordRemoval(ctx, inArray(bags.id, inList(ids)), byCaller(ctx));

/** Another airline loses a bag to the owner of its plate: its log and the journey's version record it. */
function reportDisplaced(ctx: BearerContext, rows: readonly TakenPlate[]) {
  const which = inArray(bags.id, inList(rows.flatMap(({ id }) => id ?? [])));
  const reason = "the owner of the licence plate took it";
  return [
    ...recordRemoval(ctx, which, { reason }),
    ctx.db
      .update(journeys)
      .set({ version: sql`${journeys.version} + 1` })
      .where(sql`${journeys.id} in (select ${bags.journeyId} from ${bags} where ${which})`),
  ];
}

/**
 * When the flights of a booking change, its end follows its last flight, and so do the ends of its locks. A lock that was made
 * after the feed was decided does not end before `earliest` either.
 */
function ends({ db, now, settings }: BearerContext, rows: readonly Ending[]) {
  const ids = rows.map(({ id }) => id);
  const { lockAfterArrivalSeconds, lockAfterFlightDateSeconds } = settings.limits;
  const end = sql`(select max(case when ${flights.scheduledArrival} is null
      then unixepoch(${flights.date}) * 1000 + ${lockAfterFlightDateSeconds * 1_000}
      else ${flights.scheduledArrival} + ${lockAfterArrivalSeconds * 1_000} end)
    from ${journeys} inner join ${flights} on ${flights.journeyId} = ${journeys.id}
    where ${journeys.planId} = ${travelPlans.id} and ${flights.position} = (
      select max(leg.position) from ${flights} as leg where leg.journey_id = ${journeys.id}))`;
  const { lockSeconds, claimSeconds } = settings.limits;
  const planEnd = sql`min((select ${travelPlans.endsAt} from ${travelPlans}
    where ${travelPlans.id} = ${deviceTicketLocks.planId}), ${deviceTicketLocks.lockedAt}
    + case when ${deviceTicketLocks.entitled} then ${lockSeconds * 1_000} else ${claimSeconds * 1_000} end)`;
  return [
    db
      .update(travelPlans)
      .set({ endsAt: sql`coalesce(${end}, ${travelPlans.endsAt})` })
      .where(inArray(travelPlans.id, inList(ids))),
    db
      .update(deviceTicketLocks)
      .set({ endsAt: sql`max(${planEnd}, min(${deviceTicketLocks.endsAt}, ${field("earliest")}))` })
      .from(fed(rows))
      .where(sql`${deviceTicketLocks.planId} = ${field("id")} and ${deviceTicketLocks.endsAt} > ${now}`),
  ];
}

interface Ending {
  /** Of the booking. */
  readonly id: string;
  readonly earliest: number;
}

/** The numbers of applied changes, per airline. */
export const auditFeed = (
  ctx: BearerContext,
  event: "booking_fed" | "baggage_messages_taken",
  airline: string,
  reason: string,
  from?: SQL,
) => audited(ctx, { event, ...byCaller(ctx), airline, reason }, from);

/**
 * Records that the bags of `which` go: statements before those that delete them. `which` is a condition over `bags`,
 * `journeys` and `travel_plans`. Their flights stay for a message to sorters (audit/baggage-message.ts), because a withdrawal
 * deletes the journey, too.
 */
export function recordRemoval(
  ctx: BearerContext,
  which: SQL,
  entry: Pick<AuditEntry, "sub" | "clientId" | "reason">,
) {
  const { db, now, settings } = ctx;
  const from = sql`from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId} where ${which}`;
  const bag = { journeyId: bags.journeyId, baggageId: bags.id, licencePlate: bags.licencePlate };
  const row = {
    id: bags.id,
    licencePlate: bags.licencePlate,
    flightDate: bags.flightDate,
    flights: flightsOfJourney,
    cabin: journeys.cabin,
    endsAt: sql`min(${travelPlans.endsAt}, ${now + settings.limits.auditKeepSeconds * 1_000})`,
  };
  return [
    audited(ctx, { event: "bag_removed", ...entry, airline: travelPlans.airline, ...bag }, from),
    insertFrom(db, removedBags, row, from).onConflictDoNothing(),
  ];
}

const flightsOfJourney = sql`(select json_group_array(json_object('carrier', leg.carrier, 'number', leg.number,
    'date', leg.date, 'from', leg.from_airport, 'to', leg.to_airport))
  from (select * from ${flights} where ${flights.journeyId} = ${journeys.id} order by ${flights.position}) as leg)`;
