import { type Column, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { delegations, devices, journeys, loadedPlans, NOTHING_ENDED, travelPlans } from "../../db/schema.ts";
import { isToErase } from "../lateness.ts";
import type { RunContext } from "../run-context.ts";
import type { SweepTask } from "./sweep-tasks.ts";

/**
 * Erases everything by which a person could be identified or found, of bookings that have ended. Names and locators
 * first: their number is bounded by the feed. Then the subjects that had loaded the booking or held its locks: a caller
 * who knows one locator can make any number of such rows, so a few of each booking are erased at a time.
 */
export function erasureTasks(ctx: RunContext): readonly SweepTask[] {
  const { bookingsPerErasure, sweepRowsPerStatement } = ctx.settings.limits;
  return [eraseNames(ctx, bookingsPerErasure), unlink(ctx, bookingsPerErasure, sweepRowsPerStatement)];
}

/** Locators, names and match forms. */
function eraseNames({ db, now }: RunContext, rows: number): SweepTask {
  const { id, endsAt } = travelPlans;
  const first = sql`(select ${id} from ${travelPlans} where ${isToErase(now)} order by ${endsAt} limit ${rows})`;
  return {
    name: "personalData",
    rows,
    statements: [
      db
        .update(journeys)
        .set({ passengerSealed: null, surnameTokens: "", surnameInitial: "" })
        .where(sql`${journeys.planId} in ${first}`),
      db
        .update(travelPlans)
        // Bookings are unique by the hash, so each erased one keeps a distinct hash of nothing.
        .set({ locatorHash: sql`'erased:' || ${id}`, locatorSealed: "" })
        .where(sql`${id} in ${first}`),
    ],
  };
}

/** Pseudonyms of loaders of a booking, and of last holders of its tags; then it counts as erased. */
function unlink({ db, now }: RunContext, bookings: number, rows: number): SweepTask {
  const { id, endsAt, erasedAt, locatorSealed } = travelPlans;
  const nameless = sql`select ${id} as id from ${travelPlans} where ${endsAt} <= ${now}
    and ${erasedAt} is null and ${locatorSealed} = '' order by ${endsAt} limit ${bookings}`;
  const each = Math.max(1, Math.floor(rows / bookings));
  /** At most `each` values of `found` for every one of these bookings: one value per row, as \`link\`. */
  const someOf = (column: Column, table: SQLiteTable, planId: Column) => sql`from (${nameless}) as plan,
    json_each((select json_group_array(value) from (select ${column} as value from ${table}
      where ${planId} = plan.id limit ${each}))) as link`;
  const subs = someOf(loadedPlans.sub, loadedPlans, loadedPlans.planId);
  const delegated = someOf(delegations.id, delegations, delegations.planId);
  const tags = someOf(devices.id, devices, devices.endedPlanId);
  return {
    name: "personalLinks",
    rows: 1,
    statements: [
      db
        .delete(loadedPlans)
        .where(sql`(${loadedPlans.sub}, ${loadedPlans.planId}) in (select link.value, plan.id ${subs})`),
      db.delete(delegations).where(sql`${delegations.id} in (select link.value ${delegated})`),
      db.update(devices).set(NOTHING_ENDED).where(sql`${devices.id} in (select link.value ${tags})`),
      db
        .update(travelPlans)
        .set({ erasedAt: sql`case when ${hasLinks(id)} then null else ${now} end` })
        .where(sql`${id} in (select id from (${nameless}))`),
    ],
  };
}

const hasLinks = (id: Column): SQL =>
  sql`exists (select 1 from ${loadedPlans} where ${loadedPlans.planId} = ${id})
    or exists (select 1 from ${delegations} where ${delegations.planId} = ${id})
    or exists (select 1 from ${devices} where ${devices.endedPlanId} = ${id})`;
