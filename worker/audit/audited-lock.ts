import { type SQL, sql } from "drizzle-orm";
import type { LockEvidence } from "../../core/api/events.ts";
import { bags, deviceTicketLocks, travelPlans } from "../../db/schema.ts";

/** The columns of an audit row about a lock, for the service, its sweeper and the operator's commands alike. */

/** Columns of an audit row about the bag of a lock; select them from {@link locksWithBag}. */
export const bagOfLock = {
  journeyId: deviceTicketLocks.journeyId,
  baggageId: deviceTicketLocks.baggageId,
  licencePlate: bags.licencePlate,
  evidence: sql<LockEvidence>`case when ${deviceTicketLocks.entitled} then
      case when ${deviceTicketLocks.commits} is null then 'entitled' else 'proven' end
    else case when ${deviceTicketLocks.commits} is null then 'claimed' else 'confirmed' end end`,
} as const;

/** Source of a select: locks with their booking, and with their bag where it still exists. */
export const locksWithBag: SQL = sql`${deviceTicketLocks}
  inner join ${travelPlans} on ${travelPlans.id} = ${deviceTicketLocks.planId}
  left join ${bags} on ${bags.id} = ${deviceTicketLocks.baggageId}`;
