import { and, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { Journey, JourneyBag, JourneyFlight, JourneyPassenger, LockEnd } from "../../core/api/index.ts";
import { forDelegates } from "../../core/bag/passenger-name.ts";
import {
  auditLog,
  bags,
  devices,
  deviceTicketLocks,
  failedProofs,
  flights,
  isLockOfBag,
  journeys,
  labelOf,
  loadedPlans,
  travelPlans,
} from "../../db/schema.ts";
import type { BearerContext, Reader } from "../context.ts";
import type { AnswersOf } from "../database/batch.ts";
import { failedAtLock, failedColumns, failedNotice } from "../guards/failed-proofs.ts";
import { open } from "../secrets/sealed.ts";
import { masked } from "./masked.ts";
import { isUnloadedBy, requiresLoad } from "./staff-loads.ts";

/** Journeys as callers see them: three statements for one batch, and the code that joins their rows again. */

/**
 * What last made or ended an entitled lock of the bag: event, time, tag. From the log, since the tag's own row is overwritten
 * with its next lock; one row by the index `audit_log_by_bag`, whatever else happened to the bag.
 */
const newestLock = () =>
  sql<string | null>`(select json_array(${auditLog.event}, ${auditLog.at}, coalesce(
      (select nullif(label, '') from ${devices} where id = ${auditLog.deviceId}), ${auditLog.deviceId}))
    from ${auditLog} where ${auditLog.baggageId} = ${bags.id} and ${isLockOfBag(auditLog)}
    order by ${auditLog.id} desc limit 1)`.as("newest_lock");

const bagColumns = {
  bag: bags,
  attachedDevice: sql<string | null>`${labelOf(devices)}`.as("attached_device"),
  lostAt: deviceTicketLocks.lostAt,
  // The holder may mute finders: then there is no time, but the reports stay readable.
  foundAt: sql<number | null>`case when ${deviceTicketLocks.mutedAt} is null
    then ${deviceTicketLocks.foundAt} end`.as("shown_found_at"),
  isMuted: sql<number | null>`${deviceTicketLocks.mutedAt} is not null
    and ${deviceTicketLocks.foundAt} is not null`.as("is_found_muted"),
  ...failedColumns,
  newestLock: newestLock(),
};

/** The statements; `which` is a condition over `travel_plans` and `journeys` that holds the authorization. */
export function readJourneys(ctx: Reader, which: SQL | undefined) {
  const { db, now } = ctx;
  const chosen = () =>
    db
      .select({ id: journeys.id })
      .from(journeys)
      .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
      .where(and(gt(travelPlans.endsAt, now), which));
  return {
    // D1 returns a batch's rows as objects: every column needs a name of its own.
    journeys: db
      .select(columnsFor(ctx))
      .from(journeys)
      .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
      .where(and(gt(travelPlans.endsAt, now), which))
      .orderBy(travelPlans.firstFlightDate, travelPlans.endsAt, journeys.id),
    legs: db
      .select()
      .from(flights)
      .where(inArray(flights.journeyId, chosen()))
      .orderBy(flights.journeyId, flights.position),
    bags: db
      .select(bagColumns)
      .from(bags)
      .innerJoin(journeys, eq(journeys.id, bags.journeyId))
      .leftJoin(
        deviceTicketLocks,
        // A claim is not proven, so its tag is not shown as the bag's.
        and(
          eq(deviceTicketLocks.planId, journeys.planId),
          eq(deviceTicketLocks.baggageId, bags.id),
          gt(deviceTicketLocks.endsAt, now),
          eq(deviceTicketLocks.entitled, true),
        ),
      )
      .leftJoin(devices, eq(devices.id, deviceTicketLocks.deviceId))
      .leftJoin(failedProofs, failedAtLock())
      .where(inArray(bags.journeyId, chosen()))
      .orderBy(bags.journeyId, bags.position, bags.id, desc(deviceTicketLocks.lockedAt)),
  };
}

/** A delegate's view of a journey depends on the delegation. */
const columnsFor = (ctx: Reader) => ({
  journey: journeys,
  airline: travelPlans.airline,
  locatorSealed: travelPlans.locatorSealed,
  delegationId: sql<string | null>`(select ${loadedPlans.delegationId} from ${loadedPlans}
    where ${loadedPlans.sub} = ${ctx.principal.sub} and ${loadedPlans.planId} = ${journeys.planId})`.as(
    "delegation_id",
  ),
  isUnloaded: isUnloadedBy(ctx, journeys.planId).as("is_unloaded"),
});

/** What {@link readJourneys} reads. */
export type JourneyRows = AnswersOf<ReturnType<typeof readJourneys>>;
type FlightRow = JourneyRows["legs"][number];
type BagRow = JourneyRows["bags"][number];

/** The journeys of `rows`, first flight first, without those whose passenger is erased. */
export async function viewJourneys(
  ctx: BearerContext,
  { journeys: rows, legs, bags: bagRows }: JourneyRows,
): Promise<readonly Journey[]> {
  const views = rows.map(async (row) => {
    const { journey, delegationId, isUnloaded } = row;
    const named = await namesOf(ctx, row);
    if (named === undefined) return undefined;
    return {
      journeyId: journey.id,
      ...visibleFields(delegationId !== null || (isUnloaded === 1 && requiresLoad(ctx)), named),
      ...defined({ delegationId }),
      flights: legs.filter(({ journeyId }) => journeyId === journey.id).map(flightView),
      baggage: bagViews(
        bagRows
          .filter(({ bag }) => bag.journeyId === journey.id)
          // Finders' reports and how a lock ended are for the holder alone.
          .map((row) =>
            delegationId === null ? row : { ...row, foundAt: null, isMuted: 0, newestLock: null },
          ),
      ),
      departureAirport: journey.departureAirport,
      destinationAirport: journey.destinationAirport,
      ...defined({ destinationCity: journey.destinationCity, cabin: journey.cabin }),
      version: journey.version,
    } satisfies Journey;
  });
  return (await Promise.all(views)).filter((view) => view !== undefined);
}

type Named = Pick<Journey, "recordLocator" | "passenger">;

/** Locator and name as the booking has them, whoever calls; undefined once they are erased. */
export async function namesOf(
  { settings: { dataKey } }: BearerContext,
  { journey, locatorSealed }: JourneyRows["journeys"][number],
): Promise<Named | undefined> {
  if (journey.passengerSealed === null) return undefined;
  const [recordLocator, passenger] = await Promise.all([
    open(dataKey, { field: "locator", id: journey.planId }, locatorSealed),
    open(dataKey, { field: "passenger", id: journey.id }, journey.passengerSealed),
  ]);
  return { recordLocator, passenger: JSON.parse(passenger) as JourneyPassenger };
}

/**
 * Locator and surname open any lock of the booking, and load it. A delegate gets neither, so that the end of the delegation
 * is one (rules §5, "Delegates"); nor does staff's session that must load it (staff-loads.ts). The rest of the name is
 * printed on the label, and is part of its digest.
 */
function visibleFields(isMasked: boolean, named: Named): Named {
  if (!isMasked) return named;
  return { recordLocator: masked(named.recordLocator), passenger: forDelegates(named.passenger) };
}

function flightView(row: FlightRow): JourneyFlight {
  const { carrier, number, date, from, to, scheduledDeparture, scheduledArrival } = row;
  return {
    carrier,
    number,
    date,
    from,
    to,
    ...defined({
      scheduledDeparture: instantText(scheduledDeparture),
      scheduledArrival: instantText(scheduledArrival),
    }),
  };
}

const instantText = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

/** One view per bag; of a bag on several tags the latest counts, and the others are named. */
function bagViews(rows: readonly BagRow[]): JourneyBag[] {
  const views = new Map<number, JourneyBag>();
  for (const { bag, attachedDevice, lostAt, foundAt, isMuted, newestLock: newest, ...failed } of rows) {
    const earlier = views.get(bag.id);
    if (earlier !== undefined) {
      const otherDevices = [
        ...(earlier.otherDevices ?? []),
        ...(attachedDevice === null ? [] : [attachedDevice]),
      ];
      views.set(bag.id, { ...earlier, otherDevices });
      continue;
    }
    const { id: baggageId, licencePlate, readable, flags } = bag;
    views.set(baggageId, {
      baggageId,
      licencePlate,
      ...defined({ readable, flags, attachedDevice, foundAt: instantText(foundAt) }),
      ...(lostAt === null ? {} : { lost: true }),
      ...(isMuted ? { foundMuted: true } : {}),
      ...failedNotice(failed),
      ...endNotice(newest),
    });
  }
  return [...views.values()];
}

/** Ends that are no holder's doing; the holder's own need no notice. */
const ENDS: Readonly<Record<string, LockEnd>> = {
  custody_proven: "proof",
  released: "staff",
  voided: "voided",
  displaced: "displaced",
};

/** Why and when the bag's newest lock ended; by whom stays in the log. */
function endNotice(newest: string | null): Pick<JourneyBag, "lockEnded"> {
  if (newest === null) return {};
  const [event, at, uniqueDeviceId] = JSON.parse(newest) as [string, number, string];
  const reason = ENDS[event];
  return reason ? { lockEnded: { reason, at: new Date(at).toISOString(), uniqueDeviceId } } : {};
}

/** `fields` without those that are null: absent stays absent. */
function defined<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
