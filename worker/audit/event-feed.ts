import { and, asc, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import { BAG_EVENT_NAMES } from "../../core/api/events.ts";
import { auditLog, auditSeals, devices } from "../../db/schema.ts";
import { inList } from "../database/batch.ts";
import type { Db } from "../database/connect.ts";

/**
 * The audit log read forward (rules §5), for the endpoint, for webhooks and for the operator's commands. A place in it is
 * the id of a row. D1 has one writer and assigns ids as it commits: no row can appear below one that has been read, so a
 * reader that continues from there misses nothing.
 */

/** A place: every row up to `id` has been read. After a restore, `at` (milliseconds) shows that the row is another. */
export interface Place {
  readonly id: number;
  readonly at: number;
}

/** The place before the first row. */
export const BEGINNING: Place = { id: 0, at: 0 };
/** The same for a reader that has read an empty log: rows archived since then count as missed. */
const EMPTY: Place = { id: 0, at: 1 };

/** What to read: from where, whose events, and how many. */
export interface Reading {
  readonly after: Place;
  readonly airlines: readonly string[];
  /** The most events. */
  readonly limit: number;
  /** The most rows of any airline to look at. */
  readonly rows: number;
}

/** The tag of a row, as people read it. An expression over the log with its tags. */
export const shownDevice = sql<
  string | null
>`coalesce(nullif(${devices.label}, ''), ${auditLog.deviceId})`.as("device");

const columns = {
  id: auditLog.id,
  at: auditLog.at,
  event: auditLog.event,
  airline: sql<string>`${auditLog.airline}`.as("shown_airline"),
  device: shownDevice,
  journeyId: auditLog.journeyId,
  baggageId: auditLog.baggageId,
  licencePlate: auditLog.licencePlate,
  evidence: auditLog.evidence,
};

/** The events of `airlines` in a range of ids, oldest first. */
const eventsWithin = (db: Db, range: SQL, airlines: readonly string[]) =>
  db
    .select(columns)
    .from(auditLog)
    .leftJoin(devices, eq(devices.id, auditLog.deviceId))
    .where(
      and(
        range,
        // The sign keeps SQLite on the order of ids.
        sql`+${auditLog.airline} in ${inList(airlines)}`,
        sql`+${auditLog.event} in ${inList(BAG_EVENT_NAMES)}`,
      ),
    )
    .orderBy(asc(auditLog.id));

const oldest = (db: Db) =>
  db
    .select({ fromId: auditSeals.fromId })
    .from(auditSeals)
    .where(gt(auditSeals.id, 0))
    .orderBy(asc(auditSeals.id))
    .limit(1);

const newest = (db: Db) =>
  db.select({ id: sql<number | null>`max(${auditLog.id})`.as("newest") }).from(auditLog);

/**
 * Statements for one batch. The first looks at `rows` rows of every airline in order of their ids: an index by airline
 * would cost every change of a lock a row.
 */
export const selectEvents = (db: Db, { after, airlines, limit, rows }: Reading) => ({
  events: eventsWithin(db, within(after, rows), airlines).limit(limit),
  /** The last row that was looked at. */
  seen: db
    .select({ id: auditLog.id, at: auditLog.at })
    .from(auditLog)
    .where(within(after, rows))
    .orderBy(desc(auditLog.id))
    .limit(1),
  /** The row that the reader came from. */
  anchor: db.select({ at: auditLog.at }).from(auditLog).where(eq(auditLog.id, after.id)),
  oldest: oldest(db),
  newest: newest(db),
});

/** The first row behind `id`. */
const firstBehind = (id: number) => sql`(select id from ${auditLog} where id > ${id} order by id limit 1)`;

/** The range of `rows` ids from the first row behind a place: as many rows, or fewer where ids are missing. */
const within = ({ id }: Place, rows: number) =>
  sql`${auditLog.id} > ${id} and ${auditLog.id} < ${firstBehind(id)} + ${rows}`;

/**
 * The log behind row `from` for several readers: statements for one batch. Windows end at multiples of `rows`, so readers
 * whose places are near each other need the same one; where no row follows soon, a window reaches to the next row's end.
 */
export function readWindow(db: Db, from: number, { airlines, rows }: Pick<Reading, "airlines" | "rows">) {
  const end = sql`((cast((${firstBehind(from)} - 1) / ${rows} as integer) + 1) * ${rows})`;
  const range = sql`${auditLog.id} > ${from} and ${auditLog.id} <= ${end}`;
  return {
    events: eventsWithin(db, range, airlines),
    seen: db
      .select({ id: auditLog.id, at: auditLog.at })
      .from(auditLog)
      .where(range)
      .orderBy(desc(auditLog.id))
      .limit(1),
    oldest: oldest(db),
    newest: newest(db),
  };
}

type Answers = {
  readonly [Name in keyof ReturnType<typeof selectEvents>]: Awaited<ReturnType<typeof selectEvents>[Name]>;
};
export type EventRow = Answers["events"][number];

/** The events that were read, and the place to continue from. */
export interface EventPage {
  readonly events: readonly EventRow[];
  readonly after: Place;
  /** Whether the log has further rows. */
  readonly more: boolean;
  /**
   * `gone`: rows between the reader's place and the first that is here were archived. `foreign`: the place is
   * of no row of this log, as after a restore, and the events are not those after it.
   */
  readonly fault?: "gone" | "foreign";
}

/** Reads the answers to {@link selectEvents}. */
export function pageOf({ after, limit }: Pick<Reading, "after" | "limit">, answers: Answers): EventPage {
  const { events, seen, anchor, oldest, newest } = answers;
  const last = events.length === limit ? events.at(-1) : seen[0];
  const unmoved = after.at === 0 ? EMPTY : after;
  const place = last === undefined ? unmoved : { id: last.id, at: last.at };
  const more = place.id < (newest[0]?.id ?? 0);
  const first = oldest[0]?.fromId ?? 1;
  const isArchived = after.id < first;
  const isKnown = after.id === 0 || anchor[0]?.at === after.at || isArchived;
  const read = { events, after: place, more };
  if (!isKnown) return { ...read, fault: "foreign" };
  return after.at > 0 && after.id + 1 < first ? { ...read, fault: "gone" } : read;
}

/** No request takes as long as this: rows are no further from the order of their times. */
const OUT_OF_ORDER = 300_000;

/**
 * A select of the place before the first event of `airlines` at `from` (milliseconds since 1970), or a few minutes
 * earlier; the end of the log where there is no event since. No row means {@link BEGINNING}.
 */
export function placeBefore(db: Db, airlines: readonly string[], from: number) {
  const since = sql`airline = own.value and at >= ${from - OUT_OF_ORDER}`;
  const firstAt = sql`(select min(at) from ${auditLog} where ${since})`;
  const first = sql`(select min((select min(id) from ${auditLog} where ${since} and at <= ${firstAt} + ${OUT_OF_ORDER}))
    from json_each(${JSON.stringify(airlines)}) as own)`;
  return db
    .select({ id: auditLog.id, at: auditLog.at })
    .from(auditLog)
    .where(sql`${auditLog.id} < coalesce(${first}, ${Number.MAX_SAFE_INTEGER})`)
    .orderBy(desc(auditLog.id))
    .limit(1);
}
