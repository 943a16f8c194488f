import { getTableColumns, sql } from "drizzle-orm";
import {
  bags,
  clearMarks,
  delegations,
  deviceAliases,
  devices,
  journeys,
  labelOf,
  loadedPlans,
  deviceTicketLocks as lock,
} from "../../db/schema.ts";
import { type FactsOf, parameter, snapshot } from "../database/batch.ts";
import { lockColumns, namedDevices, now, ofCounters, ofKey, ofTag, sub, withBooking } from "./facts.ts";

/** What an attachment is decided from (endpoint 9), beside the facts of its tag. */

const baggageId = parameter("baggageId");

/** The booking of the bag to attach. */
const plan = sql`(select ${journeys.planId} from ${journeys} inner join ${bags} on ${bags.journeyId} = ${journeys.id}
  where ${bags.id} = ${baggageId})`;

/** The row that endpoint 9 locks, or will make: by a GUID or MAC alone also another name's. */
const device = sql`coalesce((select ${deviceAliases.deviceId} from ${deviceAliases}
  where ${deviceAliases.alias} = ${parameter("address")} and not exists (
    select 1 from ${devices} where ${devices.id} = ${parameter("address")})), ${parameter("deviceId")})`;

/** A delegate's locks are the holder's, and count for the delegate who attached them. */
const delegator = sql`(select ${delegations.holderSub} from ${loadedPlans} inner join ${delegations}
  on ${delegations.id} = ${loadedPlans.delegationId} where ${loadedPlans.sub} = ${sub} and ${loadedPlans.planId} = ${plan})`;
const countOf = (entitled: 0 | 1) =>
  sql`(select count(*) from ${lock} where ${lock.holderSub} in (${sub}, ${delegator}) and ${lock.writerSub} = ${sub}
    and ${lock.endsAt} > ${now} and ${lock.deviceId} <> ${device} and ${lock.entitled} = ${sql.raw(`${entitled}`)})`;

/** The booking's entitled locks on other tags. */
const others = sql`${lock.planId} = ${plan} and ${lock.entitled} and ${lock.endsAt} > ${now} and ${lock.deviceId} <> ${device}`;
const bagsOfPlan = sql`(select count(*) from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
  where ${journeys.planId} = ${plan})`;
const isFull = sql`(select count(*) from ${lock} where ${others}) >= ${bagsOfPlan} * ${parameter("locksPerBag")}`;

export const ofAttachment = {
  ...ofTag,
  ...ofKey,
  ...ofCounters,
  /** Whether the caller may hold one tag more. Whether, not how many: below the cap, attachments do not conflict. */
  room: snapshot(
    {
      forLock: sql<number>`${countOf(1)} < ${parameter("mostLocks")}`,
      forClaim: sql<number>`${countOf(0)} < ${parameter("mostClaims")}`,
    },
    sql``,
  ),
  /**
   * The lock that a full booking loses for one more, and its tag: the oldest of the same person, else the oldest without
   * a proof, else the oldest; a lost one last. None where there is room.
   */
  displaced: snapshot(
    { ...lockColumns, device: getTableColumns(devices) },
    sql`from ${lock} ${withBooking} inner join ${devices} on ${devices.id} = ${lock.deviceId}
      where ${lock.deviceId} = (select ${lock.deviceId} from ${lock} where ${isFull} and ${others}
        order by ${lock.lostAt} is not null, ${sub} in (${lock.holderSub}, ${lock.writerSub}) desc,
          ${lock.commits} is null desc, ${lock.lockedAt}, ${lock.deviceId} limit 1)`,
  ),
  /** Clears that found no lock, by this person, by their delegator, or of the booking. */
  clears: snapshot(
    { cti: clearMarks.cti, clearedAt: clearMarks.clearedAt },
    sql`from ${clearMarks} where ${clearMarks.deviceId} in ${namedDevices} and ${clearMarks.endsAt} > ${now}
      and (${clearMarks.sub} in (${sub}, ${delegator}) or ${clearMarks.planId} = ${plan})
      order by ${clearMarks.deviceId}, ${clearMarks.sub}`,
  ),
  /** Further tags of the bag, latest first: for the answer. */
  others: snapshot(
    { id: lock.deviceId, label: labelOf(devices) },
    sql`from ${lock} inner join ${devices} on ${devices.id} = ${lock.deviceId}
      where ${others} and ${lock.baggageId} = ${baggageId} order by ${lock.lockedAt} desc`,
    { isGuarded: false },
  ),
};

export type AttachmentFacts = FactsOf<typeof ofAttachment>;
