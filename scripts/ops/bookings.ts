import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
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
import { type DataKey, locatorHash, open } from "../../worker/secrets/sealed.ts";
import { AIRLINE, type Commands, type Context, command, runBatch } from "./command.ts";
import { dataKeyIn, pepperIn } from "./files.ts";
import { SEALED } from "./reseal.ts";
import { at, type Row } from "./show.ts";
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

type Locks = Awaited<ReturnType<typeof locksOf>>;

/** Live locks on the bags of `found`. */
async function locksOf(db: Db, found: readonly Found[]) {
  const rows = await db
    .select({ lock: deviceTicketLocks, label: labelOf(devices) })
    .from(deviceTicketLocks)
    .innerJoin(devices, eq(devices.id, deviceTicketLocks.deviceId))
    .where(and(isOnOneOf(found), gt(deviceTicketLocks.endsAt, Date.now())));
  return rows.map(({ lock, label }) => ({ ...lock, label }));
}

/** What means nothing outside the database. */
const UNSHOWN = /Hash$|Tokens$|^(?:source|cti|comparison)$/;

/** A row as a person reads it: with instants, and what is sealed opened. */
async function readable(key: DataKey, table: SQLiteTable, row: Row): Promise<Row> {
  const shown = Object.entries(row).flatMap(([name, value]) => (UNSHOWN.test(name) ? [] : [{ name, value }]));
  const members = shown.map(async ({ name, value }) => {
    const sealed = SEALED.find((column) => column.table === table && column.name === name);
    if (sealed !== undefined && value) {
      const text = await open(key, sealed.placeOf(row), String(value));
      return [name.replace("Sealed", ""), text.startsWith("{") ? JSON.parse(text) : text] as const;
    }
    return [name, /At$|^scheduled/.test(name) ? at(value as number | null) : value] as const;
  });
  return Object.fromEntries(await Promise.all(members));
}

/** The rows that hang on a booking, a journey or a lock. */
async function readableRows(db: Db, key: DataKey, table: SQLiteTable, which: SQL | undefined) {
  const rows = await db.select().from(table).where(which);
  return Promise.all(rows.map((row) => readable(key, table, row)));
}

async function shownJourney(db: Db, key: DataKey, { plan, ...journey }: Found, locks: Locks) {
  const of = (table: SQLiteTable, which: SQL) => readableRows(db, key, table, which);
  const tags = locks
    .filter(({ journeyId }) => journeyId === journey.id)
    .map(async ({ label, ...lock }) => ({ label, ...(await shownLock(db, key, lock)) }));
  return {
    ...(await readable(key, travelPlans, plan)),
    ...(await readable(key, journeys, journey)),
    flights: await of(flights, eq(flights.journeyId, journey.id)),
    bags: await of(bags, eq(bags.journeyId, journey.id)),
    loadedPlans: await of(loadedPlans, eq(loadedPlans.planId, plan.id)),
    delegations: await of(delegations, eq(delegations.planId, plan.id)),
    tags: await Promise.all(tags),
  };
}

/** A lock with what finders said of its bag, and its holder's link and push endpoint. */
async function shownLock(db: Db, key: DataKey, lock: typeof deviceTicketLocks.$inferSelect) {
  const of = (table: typeof foundReports | typeof locationLinks | typeof pushEndpoints) =>
    readableRows(
      db,
      key,
      table,
      and(eq(table.deviceId, lock.deviceId), eq(table.lockRequestId, lock.requestId)),
    );
  return {
    ...(await readable(key, deviceTicketLocks, lock)),
    foundReports: await of(foundReports),
    locationLinks: await of(locationLinks),
    pushEndpoints: await of(pushEndpoints),
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
      const shown = found.map((journey) => shownJourney(db, key, journey, locks));
      context.show({ journeys: await Promise.all(shown) });
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
      context.show({
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
