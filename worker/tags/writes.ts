import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  auditLog,
  clearMarks,
  deviceAliases,
  devices,
  deviceTicketLocks,
  foundReports,
  guessCounters,
  locationLinks,
  pushEndpoints,
  storedLabel,
} from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inList, requiring, type Statements } from "../database/batch.ts";
import { keyInTodaysForm } from "../devices/identity.ts";
import { DEVICE_COUNTERS } from "../guards/guess-budget.ts";
import { sendNews } from "../http/web-push.ts";
import { open, placeOfPush } from "../secrets/sealed.ts";
import type { Device, Lock } from "./facts.ts";
import type { Raise } from "./rules.ts";
import type { State } from "./state.ts";

/**
 * What a decision writes: plain rows, in an order that foreign keys and cascades allow; and whom an end of a lock that was
 * written notifies.
 */

/** The difference between two states, as statements. */
export function writesOf(ctx: BearerContext, before: State, after: State) {
  const { db, now, requestId } = ctx;
  return {
    endpoints: listed(after.takenAway, (ids) => takeEndpoints(ctx, locksOn(inList(ids)))),
    removed: listed(after.removed, (ids) =>
      db.delete(deviceTicketLocks).where(inArray(deviceTicketLocks.deviceId, inList(ids))),
    ),
    guesses: listed(after.clearedGuesses, (ids) => {
      const keys = ids.flatMap((id) => DEVICE_COUNTERS.map((kind) => kind + id));
      return db.delete(guessCounters).where(inArray(guessCounters.key, inList(keys)));
    }),
    reunited: listed(after.reunited, (ids) => [
      db.delete(foundReports).where(inArray(foundReports.deviceId, inList(ids))),
      db.delete(locationLinks).where(inArray(locationLinks.deviceId, inList(ids))),
      db.delete(pushEndpoints).where(inArray(pushEndpoints.deviceId, inList(ids))),
    ]),
    devices: changedRows(before.devices, after.devices).map(({ row, changes }) =>
      changes === undefined
        ? db.insert(devices).values(row)
        : db
            .update(devices)
            .set({ ...inTodaysForm(row), ...changes })
            .where(eq(devices.id, row.id)),
    ),
    ...aliasWrites(ctx, before, after),
    locks: lockWrites(ctx, before, after),
    clears: after.clears.map((clear) =>
      db
        .insert(clearMarks)
        .values(clear)
        .onConflictDoUpdate({
          target: [clearMarks.deviceId, clearMarks.sub],
          set: { ...clear, cti: sql`max(${clearMarks.cti}, excluded.cti)` },
        }),
    ),
    audit: after.audit.map((row) => db.insert(auditLog).values({ at: now, requestId, ...row })),
  } satisfies Statements;
}

function aliasWrites({ db }: BearerContext, before: State, after: State): Statements {
  const added = Object.entries(after.aliases).filter(([alias, of]) => before.aliases[alias] !== of);
  return {
    withoutAliases: listed(after.devicesWithoutAliases, (ids) =>
      db.delete(deviceAliases).where(inArray(deviceAliases.deviceId, inList(ids))),
    ),
    aliases: added.map(([alias, deviceId]) =>
      db
        .insert(deviceAliases)
        .values({ alias, deviceId })
        .onConflictDoUpdate({ target: deviceAliases.alias, set: { deviceId } }),
    ),
  };
}

function lockWrites({ db }: BearerContext, before: State, after: State) {
  const table = deviceTicketLocks;
  // A lock that was removed is inserted again, not updated, so that nothing of the old one hangs on it.
  const left = Object.entries(before.locks).filter(([id]) => !after.removed.includes(id));
  return changedRows(Object.fromEntries(left), after.locks).map(({ row, changes }) =>
    changes === undefined
      ? db.insert(table).values(withoutBag(row))
      : db.update(table).set(withoutBag(changes)).where(eq(table.deviceId, row.deviceId)),
  );
}

/** What an update of a tag's row writes beside its changes, where the row has an older form. */
const inTodaysForm = (row: Device): Partial<Device> => ({
  ...keyInTodaysForm(row),
  label: storedLabel(row.id, row.label),
});

/** Without what was read from the bag's table. */
const withoutBag = <L extends Partial<Lock>>({ licencePlate: _plate, ...row }: L) => row;

const listed = <Statement>(ids: readonly string[], statement: (ids: readonly string[]) => Statement) =>
  ids.length === 0 ? undefined : statement(ids);

interface ChangedRow<Row> {
  readonly row: Row;
  /** Undefined of a new row. */
  readonly changes: Partial<Row> | undefined;
}

function changedRows<Row extends object>(
  before: Readonly<Record<string, Row>>,
  after: Readonly<Record<string, Row>>,
): readonly ChangedRow<Row>[] {
  return Object.entries(after).flatMap(([id, row]): readonly ChangedRow<Row>[] => {
    const old = before[id];
    if (old === row) return [];
    if (old === undefined) return [{ row, changes: undefined }];
    const entries = Object.entries(row).filter(([name, value]) => old[name as keyof Row] !== value);
    return entries.length === 0 ? [] : [{ row, changes: Object.fromEntries(entries) as Partial<Row> }];
  });
}

/** Whether there is anything to write. */
export const isChanged = (before: State, after: State): boolean =>
  (["devices", "locks", "aliases"] as const).some((name) => before[name] !== after[name]) ||
  (["audit", "removed", "devicesWithoutAliases", "reunited", "clears"] as const).some(
    (name) => after[name].length > 0,
  );

export function raiseCounters({ db, now, requestId }: BearerContext, raises: readonly Raise[]): Statements {
  if (raises.length === 0) return {};
  const { key, count, endsAt } = guessCounters;
  const isRunning = sql`${endsAt} > ${now}`;
  const over = raises.map((one) => sql`(${key} = ${one.key} and ${count} > ${one.cap})`);
  return {
    raised: raises.map((one) =>
      db
        .insert(guessCounters)
        .values({ key: one.key, count: 1, endsAt: one.endsAt, requestId })
        .onConflictDoUpdate({
          target: key,
          set: {
            count: sql`case when ${isRunning} then ${count} + 1 else 1 end`,
            endsAt: sql`case when ${isRunning} then ${endsAt} else excluded.ends_at end`,
            requestId,
          },
        }),
    ),
    within: requiring(
      db,
      sql`not exists (select 1 from ${guessCounters} where ${sql.join(over, sql` or `)})`,
    ),
  };
}

/** News of a lock that ended otherwise than by a holder, for holders whose page is closed (rules §5, "End"). */

const push = pushEndpoints;

/**
 * Deletes and returns the endpoints that hang on the locks of `which`: a statement before the one that deletes these locks.
 * Each lock ends once, so a holder gets one message. Undefined where the service sends none.
 */
export function takeEndpoints({ db, settings }: BearerContext, which: SQL) {
  if (settings.push === undefined) return undefined;
  const lock = deviceTicketLocks;
  const ofLocks = (column: SQLiteColumn) => db.select({ of: column }).from(lock).where(which);
  return db
    .delete(push)
    .where(
      and(
        inArray(push.deviceId, ofLocks(lock.deviceId)),
        inArray(push.lockRequestId, ofLocks(lock.requestId)),
      ),
    )
    .returning({ deviceId: push.deviceId, holderSub: push.holderSub, endpointSealed: push.endpointSealed });
}

type Endpoint = Pick<typeof push.$inferSelect, "deviceId" | "holderSub" | "endpointSealed">;

/** Notifies `endpoints` after the answer; not the caller, who knows. */
export function pushEnd(ctx: BearerContext, endpoints: readonly Endpoint[] = []): void {
  const others = endpoints.filter(({ holderSub }) => holderSub !== ctx.principal.sub);
  if (others.length === 0) return;
  ctx.afterwards.push(async () => {
    await Promise.all(
      others.map(async ({ deviceId, holderSub, endpointSealed }) => {
        const place = placeOfPush(deviceId, holderSub);
        // An endpoint whose key was lost is sent nothing.
        const endpoint = await open(ctx.settings.dataKey, place, endpointSealed).catch(() => "");
        await sendNews(ctx, endpoint);
      }),
    );
  });
}

/** The locks of `deviceIds`. */
const locksOn = (deviceIds: SQL): SQL => sql`${deviceTicketLocks.deviceId} in ${deviceIds}`;
