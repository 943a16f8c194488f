import { sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { ErrorCode } from "../../core/api/index.ts";
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
import {
  demanding,
  inserting,
  listOf,
  parameter,
  type Statements,
  updating,
  written,
} from "../database/batch.ts";
import type { Db } from "../database/connect.ts";
import {
  type EarlierAnswer,
  type Keyed,
  type RecordedAnswer,
  recordAnswer,
} from "../database/idempotency.ts";
import { keyInTodaysForm } from "../devices/identity.ts";
import type { ApiError } from "../errors.ts";
import { DEVICE_COUNTERS } from "../guards/guess-budget.ts";
import { takingEndpoints } from "../tracing/found-push.ts";
import type { Device, Lock } from "./facts.ts";
import type { Raise } from "./rules.ts";
import type { State } from "./state.ts";

/** What was decided of a request, and the batch that commits it. */

export interface Decision<Value = undefined> {
  readonly before: State;
  readonly after: State;
  readonly outcome: "ok" | ErrorCode;
  /** The parts of the answer that a replayed one has, too. */
  readonly answered?: RecordedAnswer["facts"];
  /** The answer of an endpoint without Idempotency-Key. */
  readonly value?: Value;
  readonly raises?: readonly Raise[];
  /** Seconds, of `too_many_requests`. */
  readonly retryAfter?: number;
  /** The outcome that the request had before. */
  readonly earlier?: EarlierAnswer | undefined;
  /** Thrown in the place of the outcome's plain error. */
  readonly error?: ApiError;
}

interface Commit<Value> {
  readonly decision: Decision<Value>;
  readonly guard: (db: Db) => Statements[string];
  readonly also: Statements | undefined;
}

/** One batch, or undefined where there is nothing to write. */
export function commitOf<Value>(ctx: BearerContext, keyed: Keyed, { decision, guard, also }: Commit<Value>) {
  const { before, after, raises = [], earlier, outcome, answered = {} } = decision;
  // A replay has its record, and `too_many_requests` is not final.
  const isRecorded = keyed !== undefined && earlier === undefined && outcome !== "too_many_requests";
  const isWritten = isRecorded || isChanged(before, after) || raises.length > 0 || also !== undefined;
  if (!isWritten) return undefined;
  return {
    guard: guard(ctx.db),
    counters: raiseCounters(ctx, raises),
    writes: writesOf(ctx, before, after),
    record: isRecorded ? recordAnswer(ctx, keyed, { outcome, facts: answered }) : undefined,
    also,
  } satisfies Statements;
}

/** The difference between two states, as statements in an order that foreign keys and cascades allow. */
function writesOf(ctx: BearerContext, before: State, after: State) {
  const { db, now, requestId } = ctx;
  const changed = changedRows(before.devices, after.devices);
  return {
    endpoints: listed(after.takenAway, (ids) => takeEndpoints(ctx, { ids })),
    removed: listed(after.removed, (ids) => removeLocks(db, { ids })),
    guesses: listed(
      after.clearedGuesses.flatMap((id) => DEVICE_COUNTERS.map((kind) => kind + id)),
      (ids) => forgetCounters(db, { ids }),
    ),
    reunited: listed(after.reunited, (ids) => removeReports.map((remove) => remove(db, { ids }))),
    newDevices: insertDevices(
      db,
      changed.flatMap(({ row, changes }) => (changes ? [] : [row])),
    ),
    devices: changed.flatMap(({ row, changes }) =>
      changes ? [updateDevice(db, row.id, { ...inTodaysForm(row), ...changes })] : [],
    ),
    ...aliasWrites(ctx, before, after),
    ...lockWrites(ctx, before, after),
    clears: insertClears(db, after.clears),
    audit: insertAudit(
      db,
      after.audit.map((row) => ({ at: now, requestId, ...row })),
    ),
  } satisfies Statements;
}

const ofIds = (column: SQLiteColumn) =>
  written<never>(sql`delete from ${column.table} where ${column} in ${listOf("ids")}`);
const takeEndpoints = takingEndpoints(sql`${deviceTicketLocks.deviceId} in ${listOf("ids")}`);
const removeLocks = ofIds(deviceTicketLocks.deviceId);
const forgetCounters = ofIds(guessCounters.key);
const removeReports = [foundReports.deviceId, locationLinks.deviceId, pushEndpoints.deviceId].map(ofIds);
const removeAliases = ofIds(deviceAliases.deviceId);
const insertDevices = inserting(devices);
const updateDevice = updating(devices, devices.id);
const insertLocks = inserting(deviceTicketLocks);
const updateLock = updating(deviceTicketLocks, deviceTicketLocks.deviceId);
const insertAudit = inserting(auditLog);
const insertAliases = inserting(
  deviceAliases,
  sql`on conflict (alias) do update set device_id = excluded.device_id`,
);
// A mark that is over counts as none.
const insertClears = inserting(
  clearMarks,
  sql`on conflict (device_id, sub) do update set plan_id = excluded.plan_id, cleared_at = excluded.cleared_at,
    ends_at = excluded.ends_at, cti = max(excluded.cti,
      iif(${clearMarks.endsAt} > excluded.cleared_at, ${clearMarks.cti}, ''))`,
);

function aliasWrites({ db }: BearerContext, before: State, after: State): Statements {
  const added = Object.entries(after.aliases).filter(([alias, of]) => before.aliases[alias] !== of);
  return {
    withoutAliases: listed(after.devicesWithoutAliases, (ids) => removeAliases(db, { ids })),
    aliases: insertAliases(
      db,
      added.map(([alias, deviceId]) => ({ alias, deviceId })),
    ),
  };
}

function lockWrites({ db }: BearerContext, before: State, after: State) {
  // A lock that was removed is inserted again, not updated, so that nothing of the old one hangs on it.
  const left = Object.entries(before.locks).filter(([id]) => !after.removed.includes(id));
  const changed = changedRows(Object.fromEntries(left), after.locks);
  return {
    newLocks: insertLocks(
      db,
      changed.flatMap(({ row, changes }) => (changes ? [] : [row])),
    ),
    locks: changed.flatMap(({ row, changes }) =>
      changes ? [updateLock(db, row.deviceId, withoutBag(changes))] : [],
    ),
  };
}

/** What an update of a tag's row writes beside its changes, where the row has an older form. */
const inTodaysForm = (row: Device): Partial<Device> => ({
  ...keyInTodaysForm(row),
  label: storedLabel(row.id, row.label),
});

/** Without what was read from the bag's table. */
const withoutBag = <L extends Partial<Lock>>({ licencePlate: _plate, ...row }: L) => row;

const listed = <Statement>(ids: readonly string[], statement: (ids: string) => Statement) =>
  ids.length === 0 ? undefined : statement(JSON.stringify(ids));

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
const isChanged = (before: State, after: State): boolean =>
  (["devices", "locks", "aliases"] as const).some((name) => before[name] !== after[name]) ||
  (["audit", "removed", "devicesWithoutAliases", "reunited", "clears"] as const).some(
    (name) => after[name].length > 0,
  );

const { key, count, endsAt } = guessCounters;
const isRunning = sql`${endsAt} > ${parameter("now")}`;
/** Of each counter its key, its window's end and its cap. */
const raised = sql`json_each(${parameter("raises")}) as raised`;
const raise = written<never>(sql`insert into ${guessCounters} (key, count, ends_at, request_id)
  select raised.value ->> 0, 1, raised.value ->> 1, ${parameter("requestId")} from ${raised} where true
  on conflict (key) do update set count = case when ${isRunning} then ${count} + 1 else 1 end,
    ends_at = case when ${isRunning} then ${endsAt} else excluded.ends_at end, request_id = excluded.request_id`);
const demandWithin = demanding(sql`not exists (select 1 from ${raised}
  inner join ${guessCounters} on ${key} = raised.value ->> 0 where ${count} > raised.value ->> 2)`);

function raiseCounters({ db, now, requestId }: BearerContext, raises: readonly Raise[]): Statements {
  if (raises.length === 0) return {};
  const values = {
    now,
    requestId,
    raises: JSON.stringify(raises.map((one) => [one.key, one.endsAt, one.cap])),
  };
  return { raised: raise(db, values), within: demandWithin(db, values) };
}
