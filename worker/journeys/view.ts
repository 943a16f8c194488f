import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Journey, JourneyBag, JourneyFlight, LockEnd } from "../../core/api/index.ts";
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
import { type AnswersOf, parameter, Reading, snapshot, type Values } from "../database/batch.ts";
import { failedAtLock, failedColumns, failedNotice } from "../guards/failed-proofs.ts";
import { open } from "../secrets/sealed.ts";
import { openPassenger } from "../secrets/sealed-passenger.ts";
import { masked } from "./masked.ts";
import { isUnloaded, requiresLoad } from "./staff-loads.ts";

/** Journeys as callers see them: a statement for a batch, and the code that makes views of its rows. */

const now = parameter("now");

/**
 * What last made or ended an entitled lock of the bag: event, time, tag. From the log, since the tag's own row is overwritten
 * with its next lock; one row by the index `audit_log_by_bag`, whatever else happened to the bag.
 */
const newestLock = sql<readonly [event: string, at: number, uniqueDeviceId: string] | null>`json((
    select json_array(${auditLog.event}, ${auditLog.at}, coalesce(
      (select nullif(label, '') from ${devices} where id = ${auditLog.deviceId}), ${auditLog.deviceId}))
    from ${auditLog} where ${auditLog.baggageId} = ${bags.id} and ${isLockOfBag(auditLog)}
    order by ${auditLog.id} desc limit 1))`;

const bagColumns = {
  bag: getTableColumns(bags),
  attachedDevice: sql<string | null>`${labelOf(devices)}`,
  lostAt: deviceTicketLocks.lostAt,
  // The holder may mute finders: then there is no time, but the reports stay readable.
  foundAt: sql<number | null>`case when ${deviceTicketLocks.mutedAt} is null
    then ${deviceTicketLocks.foundAt} end`,
  isMuted: sql<number | null>`${deviceTicketLocks.mutedAt} is not null
    and ${deviceTicketLocks.foundAt} is not null`,
  ...failedColumns,
  newestLock,
};

const journeyColumns = {
  journey: getTableColumns(journeys),
  airline: travelPlans.airline,
  locatorSealed: travelPlans.locatorSealed,
  // A delegate's view depends on the delegation.
  delegationId: sql<string | null>`(select ${loadedPlans.delegationId} from ${loadedPlans}
    where ${loadedPlans.sub} = ${parameter("sub")} and ${loadedPlans.planId} = ${journeys.planId})`,
  isUnloaded: isUnloaded(journeys.planId),
};

const withPlans = sql`from ${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}`;
const isGuarded = false;

function ofJourneys(which: SQL) {
  const live = sql`where ${travelPlans.endsAt} > ${now} and ${which}`;
  const chosen = sql`(select ${journeys.id} ${withPlans} ${live})`;
  // A claim is not proven, so its tag is not shown as the bag's.
  const lockOfBag = sql`${deviceTicketLocks.planId} = ${journeys.planId} and ${deviceTicketLocks.baggageId} = ${bags.id}
    and ${deviceTicketLocks.endsAt} > ${now} and ${deviceTicketLocks.entitled}`;
  return {
    journeys: snapshot(
      journeyColumns,
      sql`${withPlans} ${live} order by ${travelPlans.firstFlightDate}, ${travelPlans.endsAt}, ${journeys.id}`,
      { isGuarded },
    ),
    legs: snapshot(
      getTableColumns(flights),
      sql`from ${flights} where ${flights.journeyId} in ${chosen} order by ${flights.journeyId}, ${flights.position}`,
      { isGuarded },
    ),
    bags: snapshot(
      bagColumns,
      sql`from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
        left join ${deviceTicketLocks} on ${lockOfBag}
        left join ${devices} on ${devices.id} = ${deviceTicketLocks.deviceId}
        left join ${failedProofs} on ${failedAtLock()}
        where ${bags.journeyId} in ${chosen}
        order by ${bags.journeyId}, ${bags.position}, ${bags.id}, ${deviceTicketLocks.lockedAt} desc`,
      { isGuarded },
    ),
  };
}

/**
 * Reads the journeys where `which` holds, a condition over `travel_plans` and `journeys` that has the authorization. Made
 * once, when a module is loaded: each request binds its values.
 */
export function readingJourneys(which: SQL) {
  const reading = new Reading(ofJourneys(which));
  return ({ db, now, principal: { sub, staff } }: Reader, values: Values = {}) =>
    reading.read(db, { ...values, now, sub, isStaff: Number(staff) });
}

/** All journeys of the booking `planId`, for the airline's own feed. */
export const readBooking = readingJourneys(sql`${travelPlans.id} = ${parameter("planId")}`);

/** Whatever is read: the rows are the same. */
const { facts: rowsIn } = new Reading(ofJourneys(sql`true`));

/** What {@link readingJourneys} reads. */
export type JourneyTexts = AnswersOf<ReturnType<ReturnType<typeof readingJourneys>>>;
type Rows = ReturnType<typeof rowsIn>;
export type JourneyRow = Rows["journeys"][number];
type FlightRow = Rows["legs"][number];
type BagRow = Rows["bags"][number];

/** The first journey that was read, as it is stored. */
export const firstRow = ([texts = {}]: JourneyTexts): JourneyRow | undefined => rowsIn(texts).journeys[0];

/** The journeys that were read, first flight first, without those whose passenger is erased. */
export async function viewJourneys(
  ctx: BearerContext,
  [texts = {}]: JourneyTexts,
): Promise<readonly Journey[]> {
  const { journeys: rows, legs, bags: bagRows } = rowsIn(texts);
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

/** Locator and name as the booking has them, unmasked for any caller; undefined once they are erased. */
export async function namesOf(
  { settings: { dataKey } }: BearerContext,
  { journey, locatorSealed }: JourneyRow,
): Promise<Named | undefined> {
  if (journey.passengerSealed === null) return undefined;
  const [recordLocator, { passenger }] = await Promise.all([
    open(dataKey, { field: "locator", id: journey.planId }, locatorSealed),
    openPassenger(dataKey, journey.id, journey.passengerSealed),
  ]);
  return { recordLocator, passenger };
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
function endNotice(newest: BagRow["newestLock"]): Pick<JourneyBag, "lockEnded"> {
  if (newest === null) return {};
  const [event, at, uniqueDeviceId] = newest;
  const reason = ENDS[event];
  return reason ? { lockEnded: { reason, at: new Date(at).toISOString(), uniqueDeviceId } } : {};
}

/** `fields` without those that are null: absent stays absent. */
export function defined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
