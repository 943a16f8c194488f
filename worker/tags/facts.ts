import { getTableColumns, type SQL, sql } from "drizzle-orm";
import {
  bags,
  delegations,
  deviceAliases,
  devices,
  deviceTicketLocks,
  guessCounters,
  idempotencyRecords,
  journeys,
  loadedPlans,
  revokedKeys,
  sessions,
  travelPlans,
} from "../../db/schema.ts";
import { type FactsOf, listOf, parameter, snapshot } from "../database/batch.ts";
import { isEarlier } from "../database/idempotency.ts";

/**
 * What the decisions about a tag are made from: the only SQL that reads for them. Rows alone; rules.ts says what they
 * mean. A fact is as precise as its rule: a finer one would make requests conflict that do not concern each other.
 */

const lock = deviceTicketLocks;
export const now = parameter("now");
export const sub = parameter("sub");

export const lockColumns = {
  ...getTableColumns(lock),
  airline: travelPlans.airline,
  licencePlate: sql<string | null>`${bags.licencePlate}`,
};
export const withBooking = sql`inner join ${travelPlans} on ${travelPlans.id} = ${lock.planId}
  left join ${bags} on ${bags.id} = ${lock.baggageId}`;

const named = listOf("names");
/** Ids of every row that the request can mean: by its names, and by the tags whose aliases they are. */
export const namedDevices: SQL = sql`(select value from json_each(${parameter("names")}) union select ${deviceAliases.deviceId}
  from ${deviceAliases} where ${deviceAliases.alias} in ${named})`;

/** The bookings that a rule can ask about: of the locks found, of the last lock that ended, of the bags named. */
const namedPlans = sql`(select ${lock.planId} from ${lock} where ${lock.deviceId} in ${namedDevices}
  union select ${devices.endedPlanId} from ${devices} where ${devices.id} in ${namedDevices}
  union select ${journeys.planId} from ${journeys} inner join ${bags} on ${bags.journeyId} = ${journeys.id}
    where ${bags.id} in ${listOf("bags")})`;

export const ofTag = {
  aliases: snapshot(
    { alias: deviceAliases.alias, deviceId: deviceAliases.deviceId },
    sql`from ${deviceAliases} where ${deviceAliases.alias} in ${named} order by ${deviceAliases.alias}`,
  ),
  devices: snapshot(
    getTableColumns(devices),
    sql`from ${devices} where ${devices.id} in ${namedDevices} order by ${devices.id}`,
  ),
  /** Past their end, too: the next attachment spends their numbers and records their end. */
  locks: snapshot(
    lockColumns,
    sql`from ${lock} ${withBooking} where ${lock.deviceId} in ${namedDevices} order by ${lock.deviceId}`,
  ),
  /** Possible writers of the tag besides holder and writer of its lock; read for a statement alone. */
  loaders: snapshot(
    { sub: loadedPlans.sub },
    sql`from ${loadedPlans} where ${loadedPlans.planId} = (select ${lock.planId} from ${lock}
      where ${lock.deviceId} = ${parameter("statementOf")}) order by ${loadedPlans.loadedAt}, ${loadedPlans.sub} limit 200`,
  ),
  /** The caller's bookings among those asked about; a delegate's with their delegator. */
  plans: snapshot(
    {
      planId: loadedPlans.planId,
      delegationId: loadedPlans.delegationId,
      delegator: sql<string | null>`${delegations.holderSub}`,
    },
    sql`from ${loadedPlans} left join ${delegations} on ${delegations.id} = ${loadedPlans.delegationId}
      where ${loadedPlans.sub} = ${sub} and ${loadedPlans.planId} in ${namedPlans} order by ${loadedPlans.planId}`,
  ),
  /** One row. Whether, not which: a kiosk's account has loaded thousands. */
  caller: snapshot(
    {
      revokedAt: sql<
        number | null
      >`(select ${sessions.revokedAt} from ${sessions} where ${sessions.id} = ${parameter("sessionId")})`,
      hasOwnLivePlan: sql<number>`exists (select 1 from ${loadedPlans}
        inner join ${travelPlans} on ${travelPlans.id} = ${loadedPlans.planId}
        where ${loadedPlans.sub} = ${sub} and ${loadedPlans.delegationId} is null and ${travelPlans.endsAt} > ${now})`,
    },
    sql``,
  ),
  /** The bags that the request names. */
  bags: snapshot(
    {
      baggageId: bags.id,
      licencePlate: bags.licencePlate,
      journeyId: journeys.id,
      planId: travelPlans.id,
      airline: travelPlans.airline,
      firstFlightDate: travelPlans.firstFlightDate,
      endsAt: travelPlans.endsAt,
    },
    sql`from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
      inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
      where ${bags.id} in ${listOf("bags")} order by ${bags.id}`,
  ),
};

/** What became of the request if it was sent before under its Idempotency-Key. */
export const ofKey = {
  earlier: snapshot(
    {
      bodyHash: idempotencyRecords.bodyHash,
      outcome: idempotencyRecords.outcome,
      facts: idempotencyRecords.facts,
    },
    sql`from ${idempotencyRecords} where ${isEarlier}`,
  ),
};

/** The commit raises them, and demands that none is over its cap. */
export const ofCounters = {
  counters: snapshot(
    { key: guessCounters.key, count: guessCounters.count, endsAt: guessCounters.endsAt },
    sql`from ${guessCounters} where ${guessCounters.key} in ${listOf("counters")} and ${guessCounters.endsAt} > ${now}`,
    { isGuarded: false },
  ),
};

export const ofToken = {
  ...ofTag,
  /** A row if the session's certified key is revoked. */
  revoked: snapshot(
    { revokedAt: revokedKeys.revokedAt },
    sql`from ${sessions} inner join ${revokedKeys} on ${revokedKeys.spkiHash} = ${sessions.keySpkiHash}
      where ${sessions.id} = ${parameter("sessionId")}`,
  ),
};
export const ofUnlock = { ...ofTag, ...ofKey, ...ofCounters };
export const ofRelease = { ...ofTag, ...ofCounters };

export type TagFacts = FactsOf<typeof ofTag>;
export type TokenFacts = FactsOf<typeof ofToken>;
export type UnlockFacts = FactsOf<typeof ofUnlock>;
export type ReleaseFacts = FactsOf<typeof ofRelease>;
export type Device = TagFacts["devices"][number];
export type Lock = TagFacts["locks"][number];
export type Bag = TagFacts["bags"][number];
