import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { AuditedEvent } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { importPepper, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import {
  bags,
  delegations,
  devices,
  deviceTicketLocks,
  flights,
  foundReports,
  journeys,
  labelOf,
  loadedPlans,
  locationLinks,
  NOTHING_ENDED,
  pushEndpoints,
  travelPlans,
} from "../../db/schema.ts";
import { UsageError, type ValuesOf } from "../../kit/command-line.ts";
import { audited } from "../../worker/audit/log.ts";
import type { Db } from "../../worker/database/connect.ts";
import {
  type DataKey,
  locatorHash,
  open,
  placeOfLink,
  placeOfPush,
  placeOfReport,
} from "../../worker/secrets/sealed.ts";
import { openPassenger } from "../../worker/secrets/sealed-passenger.ts";
import { AIRLINE, type Commands, type Context, command, runBatch } from "./command.ts";
import { dataKeyIn, pepperIn } from "./files.ts";
import { at } from "./show.ts";
import { type Deed, endingLocks, newDeed } from "./tags.ts";

/**
 * `booking …`: what is stored of a person, and its erasure before the booking ends. A person is found as everywhere, by
 * record locator and surname; neither is stored in clear, and neither gets into the audit log.
 */

const WHO = {
  locator: { value: "text", required: true, help: "record locator" },
  surname: { value: "text", required: true, help: "of the person; others of the booking stay as they are" },
  airline: { ...AIRLINE, help: "of the booking: needed where several airlines have one for such a person" },
} as const;

type Found = typeof journeys.$inferSelect & { readonly plan: typeof travelPlans.$inferSelect };

/**
 * Every journey of that surname in a booking of that locator. Throws UsageError where there is none, and where bookings of
 * several airlines match: they are of different persons.
 */
async function findJourneys(
  { locator, surname, airline }: ValuesOf<typeof WHO>,
  { db, secrets }: Context,
): Promise<readonly Found[]> {
  const pepper = await importPepper(pepperIn(secrets()));
  const hash = await locatorHash(pepper, locator);
  const isOfAirline = airline === undefined ? undefined : eq(travelPlans.airline, airline);
  const plans = await db
    .select()
    .from(travelPlans)
    .where(and(eq(travelPlans.locatorHash, hash), isOfAirline));
  const planIds = plans.map(({ id }) => id);
  const isOfPlan = inArray(journeys.planId, planIds);
  const rows = await db.select().from(journeys).where(isOfPlan).orderBy(asc(journeys.id));
  const presented = await presentedTokens(pepper, foldLocator(locator), surname, Date.now());
  const found = rows
    .filter(({ surnameTokens }) => surnamesMatch(fromBase64Url(surnameTokens), presented))
    .flatMap((row) => plans.filter(({ id }) => id === row.planId).map((plan) => ({ ...row, plan })));
  if (found.length === 0) throw new UsageError("nothing is stored of anybody of that name in such a booking");
  const airlines = [...new Set(found.map(({ plan }) => plan.airline))].toSorted();
  if (airlines.length > 1)
    throw new UsageError(`several airlines have one: --airline ${airlines.join(" or ")}`);
  return found;
}

const list = (ids: readonly string[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`;

/** The locks on the bags of `found`, by the booking: locks have no index by journey. */
const isOnOneOf = (found: readonly Found[]) =>
  sql`${deviceTicketLocks.planId} in ${list(found.map(({ plan }) => plan.id))}
    and ${deviceTicketLocks.journeyId} in ${list(found.map(({ id }) => id))}`;

/** Live locks on the bags of `found`. */
async function locksOf(db: Db, found: readonly Found[]) {
  const locks = await db.select().from(deviceTicketLocks).where(isOnOneOf(found));
  const deviceIds = locks.map(({ deviceId }) => deviceId);
  const tags = await db
    .select({ id: devices.id, label: labelOf(devices) })
    .from(devices)
    .where(inArray(devices.id, deviceIds));
  return locks
    .filter(({ endsAt }) => endsAt > Date.now())
    .map((lock) => ({ ...lock, label: tags.find(({ id }) => id === lock.deviceId)?.label ?? lock.deviceId }));
}

async function shownJourney(db: Db, key: DataKey, found: Found) {
  const { id, plan, passengerSealed, departureAirport, destinationAirport, destinationCity, cabin } = found;
  const [legs, own, loaded, given] = await db.batch([
    db.select().from(flights).where(eq(flights.journeyId, id)).orderBy(asc(flights.position)),
    db.select().from(bags).where(eq(bags.journeyId, id)).orderBy(asc(bags.position)),
    db.select().from(loadedPlans).where(eq(loadedPlans.planId, plan.id)).orderBy(desc(loadedPlans.loadedAt)),
    db.select().from(delegations).where(eq(delegations.planId, plan.id)).orderBy(asc(delegations.id)),
  ]);
  const opened = passengerSealed === null ? undefined : await openPassenger(key, id, passengerSealed);
  return {
    journeyId: id,
    airline: plan.airline,
    recordLocator:
      plan.locatorSealed && (await open(key, { field: "locator", id: plan.id }, plan.locatorSealed)),
    ...opened?.passenger,
    departureAirport,
    destinationAirport,
    destinationCity,
    cabin,
    erasedByItselfAt: at(plan.endsAt),
    flights: legs.map(({ carrier, number, date, from, to, scheduledDeparture, scheduledArrival }) => ({
      flight: `${carrier}${number}`,
      date,
      from,
      to,
      scheduledDeparture: at(scheduledDeparture),
      scheduledArrival: at(scheduledArrival),
    })),
    bags: own.map(({ id: baggageId, licencePlate, readable, flags }) => {
      return { baggageId, licencePlate, readable, flags, checkIn: opened?.loading[licencePlate] ?? null };
    }),
    loadedBy: loaded.map(({ sub, loadedAt, delegationId }) => ({
      pseudonym: sub,
      at: at(loadedAt),
      ...(delegationId === null ? {} : { asDelegate: delegationId }),
    })),
    delegations: given.map(({ id, holderSub, delegateSub, endsAt }) => ({
      id,
      holder: holderSub,
      delegate: delegateSub,
      ...(endsAt === null ? {} : { waitsUntil: at(endsAt) }),
    })),
  };
}

/** What finders said of a bag, and its holder's link. */
async function tracesOf(
  db: Db,
  key: DataKey,
  { deviceId, requestId }: typeof deviceTicketLocks.$inferSelect,
) {
  const isOf = (table: typeof foundReports | typeof locationLinks | typeof pushEndpoints) =>
    and(eq(table.deviceId, deviceId), eq(table.lockRequestId, requestId));
  const [reports, links, pushes] = await db.batch([
    db.select().from(foundReports).where(isOf(foundReports)),
    db.select().from(locationLinks).where(isOf(locationLinks)),
    db.select().from(pushEndpoints).where(isOf(pushEndpoints)),
  ]);
  const said = reports.map(async (row) => ({
    at: at(row.reportedAt),
    ...JSON.parse(await open(key, placeOfReport(deviceId, row.requestId), row.saidSealed)),
  }));
  const shared = links.map(async ({ linkSealed, addedAt, openedBy, openedAt }) => ({
    link: await open(key, placeOfLink(deviceId), linkSealed),
    addedAt: at(addedAt),
    openedBy,
    openedAt: at(openedAt),
  }));
  const decrypted = pushes.map(async ({ holderSub, endpointSealed }) => ({
    pseudonym: holderSub,
    endpoint: await open(key, placeOfPush(deviceId, holderSub), endpointSealed),
  }));
  return {
    foundReports: await Promise.all(said),
    locationLinks: await Promise.all(shared),
    pushEndpoints: await Promise.all(decrypted),
  };
}

/** A row for each booking: which airline's, and never whose. */
function auditing(db: Db, deed: Deed, found: readonly Found[], event: AuditedEvent) {
  return [...new Map(found.map(({ plan }) => [plan.id, plan.airline])).values()].map((airline) =>
    audited({ db, ...deed }, { event, airline, reason: "operator" }, sql`where true`),
  );
}

export const bookingCommands = {
  "booking show": command({
    summary: "show everything that is stored of a person, for a person who asks for their own data",
    options: WHO,
    async run(who, context) {
      const { db } = context;
      const found = await findJourneys(who, context);
      const key = await dataKeyIn(context.secrets());
      const locks = await locksOf(db, found);
      await runBatch(db, auditing(db, newDeed(), found, "booking_shown"));
      const shown = await Promise.all(found.map((journey) => shownJourney(db, key, journey)));
      const tags = await Promise.all(
        locks.map(async (lock) => ({
          journeyId: lock.journeyId,
          tag: {
            label: lock.label,
            baggageId: lock.baggageId,
            lockedAt: at(lock.lockedAt),
            endsAt: at(lock.endsAt),
            lostSince: at(lock.lostAt),
            ...(await tracesOf(db, key, lock)),
          },
        })),
      );
      const tagsOf = (id: string) => tags.filter(({ journeyId }) => journeyId === id).map(({ tag }) => tag);
      context.showOne({
        journeys: shown.map((journey) => ({ ...journey, tags: tagsOf(journey.journeyId) })),
      });
    },
  }),
  "booking erase": command({
    summary:
      "erase a person's journeys with flights and bags; their locks end. Without --yes it says what would go",
    options: { ...WHO, yes: { help: "do it; nothing brings it back" } },
    async run({ yes, ...who }, context) {
      const { db } = context;
      const found = await findJourneys(who, context);
      const labels = (await locksOf(db, found)).map(({ label }) => label);
      if (yes) await runBatch(db, erasing(db, found));
      context.showOne({
        erased: yes,
        journeys: found.map(({ id }) => id),
        tagsThatStillShowALabel: labels,
        ...(labels.length > 0 && { next: "clear these tags at a desk: a label is erased at the tag alone" }),
        ...(!yes && { missing: "--yes" }),
      });
    },
  }),
} satisfies Commands;

function erasing(db: Db, found: readonly Found[]) {
  const deed = newDeed();
  const [own, plans] = [found.map(({ id }) => id), found.map(({ planId }) => planId)];
  const isEmpty = sql`${travelPlans.id} in ${list(plans)} and not exists
    (select 1 from ${journeys} where ${journeys.planId} = ${travelPlans.id})`;
  const gone = sql`(select ${travelPlans.id} from ${travelPlans} where ${isEmpty})`;
  return [
    ...endingLocks(db, deed, {
      which: isOnOneOf(found),
      reason: "operator: erasure",
      isForgotten: true,
    }),
    ...auditing(db, deed, found, "booking_erased"),
    db.delete(journeys).where(sql`${journeys.id} in ${list(own)}`),
    db.update(devices).set(NOTHING_ENDED).where(sql`${devices.endedPlanId} in ${gone}`),
    db.delete(travelPlans).where(isEmpty),
  ];
}
