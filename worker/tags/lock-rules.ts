import { and, eq, gt, lte, or, type SQL, type SQLWrapper } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { LockEnd } from "../../core/api/index.ts";
import { type Bytes, concat, equalBytes, fromHex, utf8 } from "../../core/encoding/bytes.ts";
import { bagOfLock, locksWithBag } from "../../db/audited-lock.ts";
import type { Db } from "../../db/connect.ts";
import { hmac } from "../../db/lookup-keys.ts";
import type { Evidence } from "../../db/schema/clients.ts";
import {
  bags,
  delegations,
  devices,
  deviceTicketLocks,
  guessCounters,
  journeys,
  loadedPlans,
  travelPlans,
} from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { type AuditEntry, audited, byCaller } from "../audit/log.ts";
import type { DatedKey } from "../config/keys.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inList } from "../database/statements.ts";
import { rowsNamed } from "../devices/identity.ts";
import { DEVICE_COUNTERS } from "../guards/guess-budget.ts";

/**
 * The lock, who holds it and what gives way to whom, as conditions over `device_ticket_locks` (rules §5); how
 * it ends, and what the audit log records of it.
 */

/** Not past its end. */
export const isLive = ({ now }: RequestContext): SQL => gt(deviceTicketLocks.endsAt, now);

/** A live lock on any tag that `uniqueDeviceId` can mean. */
export const isLiveLockOf = (ctx: RequestContext, uniqueDeviceId: string): SQL =>
  isLiveLockIn(ctx, rowsNamed(uniqueDeviceId));

/** A live lock on a device of `rows`, a subselect of ids. */
export const isLiveLockIn = (ctx: RequestContext, rows: SQL): SQL =>
  and(sql`${deviceTicketLocks.deviceId} in ${rows}`, isLive(ctx)) as SQL;

/**
 * Whether the caller holds the lock: made the attachment, or has loaded the travel plan. Staff hold what they
 * attached for a quarter of an hour: whoever stands at a kiosk later is somebody else.
 *
 * The plans are a subselect of their own, so that no column in it can be taken for one of the lock. A delegate holds it
 * for what `delegated` allows: a condition over `loaded_plans` (rules §5, "Delegates"), and not while the tag is called
 * lost: the mark goes with the lock and with every move, so whoever may end or move it may take the mark away.
 */
export const isHolder = (ctx: BearerContext, delegated: SQL = sql`true`): SQL<boolean> =>
  sql<boolean>`(${isAttacher(ctx)} or ${hasLoadedPlan(ctx.principal.sub, delegated)})`;

/** Whether the caller's own attachment made the lock what it is. */
export const isAttacher = ({ principal, now, settings }: BearerContext): SQL =>
  and(
    eq(deviceTicketLocks.holderSub, principal.sub),
    principal.staff
      ? gt(deviceTicketLocks.lockedAt, now - settings.limits.staffHoldsSeconds * 1_000)
      : undefined,
  ) as SQL;

/** Whether `sub` has loaded the travel plan of the lock, or is its delegate and `delegated` holds. */
export const hasLoadedPlan = (sub: string, delegated: SQL = sql`true`): SQL<boolean> =>
  sql<boolean>`${deviceTicketLocks.planId} in
    (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${sub}
      and (${loadedPlans.delegationId} is null or (${deviceTicketLocks.lostAt} is null and ${delegated})))`;

/**
 * For whom the caller attaches to a bag of `plan`: a delegate for whoever made them one, so that nothing is theirs when the
 * delegation ends.
 */
export const attachesFor = ({ principal }: BearerContext, plan: SQLWrapper): SQL<string> =>
  sql<string>`coalesce((select ${delegations.holderSub} from ${loadedPlans}
    inner join ${delegations} on ${delegations.id} = ${loadedPlans.delegationId}
    where ${loadedPlans.sub} = ${principal.sub} and ${loadedPlans.planId} = ${plan}), ${principal.sub})`;

/** Whether the lock is on a booking of one of `airlines`; false if there are none. */
export const isOfAirlines = (airlines: readonly string[]): SQL<boolean> =>
  sql<boolean>`((select ${travelPlans.airline} from ${travelPlans}
    where ${travelPlans.id} = ${deviceTicketLocks.planId}) in ${inList(airlines)})`;

/** A claim that no statement of the tag has confirmed. */
export const isBareClaim: SQL<boolean> = sql<boolean>`(${deviceTicketLocks.entitled} = 0 and ${deviceTicketLocks.commits} is null)`;

/**
 * Whether the lock gives way to the caller: it is a bare claim, and the caller has a live booking of their
 * own or names a bag that they are entitled to.
 */
export const givesWay = (ctx: BearerContext, forBaggageId: number | undefined): SQL<boolean> =>
  sql<boolean>`(${isBareClaim} and (${hasLivePlan(ctx, ctx.principal.sub)} or ${isEntitledToBag(ctx, forBaggageId)}))`;

/** Whether `sub` has loaded a booking that is not yet past; another's, as a delegate, is none of their own. */
export const hasLivePlan = ({ now }: RequestContext, sub: string): SQL<boolean> =>
  sql<boolean>`exists (select 1 from ${loadedPlans}
    inner join ${travelPlans} on ${travelPlans.id} = ${loadedPlans.planId}
    where ${loadedPlans.sub} = ${sub} and ${loadedPlans.delegationId} is null and ${travelPlans.endsAt} > ${now})`;

/** Whether the caller is entitled to the bag; a bag that is not there, or none, is nobody's. */
export const isEntitledToBag = (ctx: BearerContext, baggageId: number | undefined): SQL<boolean> =>
  baggageId === undefined
    ? sql<boolean>`false`
    : sql<boolean>`exists (select 1 from ${bags}
        inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
        inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
        where ${bags.id} = ${baggageId} and ${travelPlans.endsAt} > ${ctx.now} and ${isEntitled(ctx)})`;

/**
 * A condition over `travel_plans`: the caller has loaded the booking, or is vouched for and acts for its
 * airline. Nobody is before the last fortnight: a lock made long ahead would only keep a tag from others.
 */
export const isEntitled = (ctx: BearerContext): SQL<boolean> => {
  const { principal } = ctx;
  const hasLoaded = sql`${travelPlans.id} in
    (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${principal.sub})`;
  const isNear = lte(travelPlans.firstFlightDate, lastFirstFlight(ctx));
  return sql<boolean>`(${isNear} and (${hasLoaded} or +${travelPlans.airline} in ${inList(vouchedAirlines(ctx))}))`;
};

/** The latest first day of a booking whose bags anybody may be entitled to, `YYYY-MM-DD`. */
const lastFirstFlight = ({ now, settings }: RequestContext) =>
  new Date(now + settings.limits.entitledAheadSeconds * 1_000).toISOString().slice(0, 10);

/** Whether a booking that begins on `firstFlightDate` is near enough to entitle. */
export const isNearFlight = (ctx: RequestContext, firstFlightDate: string) =>
  firstFlightDate <= lastFirstFlight(ctx);

/** Evidence by which somebody other than the caller vouches for them. */
const VOUCHED: readonly Evidence[] = ["federated", "b2b", "apple-appattest", "play-integrity"];

/** The airlines for whose bags the caller needs no booking of their own. */
export function vouchedAirlines({ principal, client, settings }: BearerContext): readonly string[] {
  const isVouched =
    VOUCHED.includes(principal.evidence) ||
    (principal.evidence === "demo" && settings.environment === "development");
  if (!isVouched) return [];
  return principal.staff ? principal.airlines : client.airlines;
}

/*
 * News that is late: a page that was offline tells what it did after newer things have happened (rules §5). The
 * `cti` of the token that the tag took says when that was. It counts only between holders of one booking; against
 * anybody else's lock it says nothing. The database holds a `cti` as hex, so that its first eight digits sort by time.
 */

/** Where no `cti` is kept, a token counts as older if it was issued this long before: it lives no longer. */
const TOKEN_LIFE_SECONDS = 120;

/** Whether the lock is newer than the token of `cti` (hex): a condition over `device_ticket_locks`. */
export const isOlderThanLock = (cti: string | undefined): SQL =>
  isOlder(cti, sql`${deviceTicketLocks.cti}`, sql`${deviceTicketLocks.lockedAt}`);

/**
 * Whether a holder has removed the last lock of the tag since the token of `cti`, and the caller was a holder
 * of it too: a condition over `devices`.
 */
export const isOlderThanRemoval = ({ principal }: BearerContext, cti: string | undefined): SQL =>
  sql`(${devices.endedReason} = 'holder'
    and (${devices.endedHolderSub} = ${principal.sub} or ${devices.endedPlanId} in
      (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${principal.sub}))
    and ${isOlder(cti, sql`${devices.endedCti}`, sql`${devices.endedAt}`)})`;

function isOlder(cti: string | undefined, kept: SQL, at: SQL): SQL {
  if (cti === undefined) return sql`false`;
  const latest = (issuedAt(fromHex(cti)) + TOKEN_LIFE_SECONDS) * 1_000;
  return sql`(case when ${kept} is null then ${latest} < ${at}
    else ${cti.slice(0, 8)} < substr(${kept}, 1, 8) end)`;
}

/** What an entry says beside the lock: by default who called, to the airline of the booking. */
export interface LockEntry {
  readonly reason?: string | null;
  readonly by?: Pick<AuditEntry, "sub" | "clientId" | "staffId">;
  /** Another airline than that of the booking: it hears of the tag, and nothing of the bag. */
  readonly airline?: string | null;
  readonly evidence?: SQL;
}

/**
 * Records the locks that `which` selects, in the batch that changes them: a row each, for the airline of its
 * booking. Must come before the statement that makes `which` untrue.
 */
export const auditLock = (
  ctx: BearerContext,
  event: AuditEntry["event"],
  which: SQL,
  { reason = null, by = byCaller(ctx), airline, evidence = bagOfLock.evidence }: LockEntry = {},
) =>
  audited(
    ctx,
    {
      ...{ event, ...by, deviceId: deviceTicketLocks.deviceId, reason },
      ...(airline === undefined ? { ...bagOfLock, evidence, airline: travelPlans.airline } : { airline }),
    },
    sql`from ${locksWithBag} where ${which}`,
  );

/** What stands behind a lock that the tag's statement proves now. */
const PROVEN = sql`case when ${deviceTicketLocks.entitled} then 'proven' else 'confirmed' end`;

/** Records that the tag's statement proves the locks of `which`. */
export const auditProven = (ctx: BearerContext, which: SQL) =>
  auditLock(ctx, "proven", which, { evidence: PROVEN });

/** The one way in which a lock ends before its time (rules §5), whoever ends it. */

/** An end, as the audit log and the former holder hear of it. */
export interface Ending {
  /** The locks that end: a condition over `device_ticket_locks`. */
  readonly which: SQL;
  /** Where locks end for several reasons, these are expressions over `device_ticket_locks`. */
  readonly event: AuditEntry["event"];
  readonly end: LockEnd | SQL;
  /** What the audit log says beside it; one row for each. */
  readonly entries?: readonly LockEntry[];
  /** The `cti` (hex) of the token that cleared the tag, where it is newer than the lock's. */
  readonly cti?: string | SQL | undefined;
  readonly replaced?: Replaced;
}

/** Locks that a new one takes the place of: their holder hears of no end, and guesses at the tag stay counted. */
export interface Replaced {
  /** Those that the audit log names, with the event of the {@link Ending}; */
  readonly named: SQL;
  /** those whose number is spent; */
  readonly spent: SQL;
  /** and those that go; the rest is written over. */
  readonly gone: SQL;
}

/** Statements that end locks; the deletion is the last, and everything before it looks at the same rows. */
export function endLocks(ctx: BearerContext, { which, event, end, entries = [{}], cti, replaced }: Ending) {
  const { db, now } = ctx;
  const lock = deviceTicketLocks;
  // Under the name of the table, so that conditions over it hold.
  const ending = sql`(select *, ${replaced === undefined ? sql`true` : which} as is_ending from ${lock}
    where ${or(which, replaced?.spent)}) as ${lock}`;
  const isNews = sql`(${lock}.is_ending and ${isTold(ctx)})`;
  const told = (column: SQLiteColumn, value: SQLWrapper | string | number) =>
    sql`case when ${isNews} then ${value} else ${column} end`;
  return {
    audit: entries.map((entry) => auditLock(ctx, event, or(which, replaced?.named) as SQL, entry)),
    counters: db.delete(guessCounters).where(
      sql`${guessCounters.key} in (select kind.value || ${lock.deviceId}
          from ${lock}, json_each(${JSON.stringify(DEVICE_COUNTERS)}) as kind where ${which})`,
    ),
    device: db
      .update(devices)
      .set({
        spentCommits: spent,
        endedHolderSub: told(devices.endedHolderSub, lock.holderSub),
        endedPlanId: told(devices.endedPlanId, lock.planId),
        endedReason: told(devices.endedReason, sql`${end}`),
        endedAt: told(devices.endedAt, now),
        endedCti: told(devices.endedCti, sql`${cti ?? lock.cti}`),
      })
      .from(ending)
      .where(
        and(eq(devices.id, lock.deviceId), sql`(${isNews} or ${lock.commits} > ${devices.spentCommits})`),
      ),
    lock: db.delete(lock).where(or(which, replaced?.gone)),
  };
}

/** A claim that comes and goes must not wipe out what the holder before it is still to hear: for a day, an end stays. */
const isTold = ({ now, settings }: BearerContext): SQL =>
  sql`(${deviceTicketLocks.entitled} or ${devices.endedAt} is null
    or ${devices.endedAt} <= ${now - settings.limits.claimSeconds * 1_000})`;

/** A number that proved a lock proves nothing once the lock has ended. */
const spent = sql<number>`max(${devices.spentCommits}, coalesce(${deviceTicketLocks.commits}, 0))`;

/** The same for locks that end by time: who held them needs no notice, their end was known. */
export const spendNumbers = (db: Db, which: SQL) =>
  db
    .update(devices)
    .set({ spentCommits: spent })
    .from(deviceTicketLocks)
    .where(
      and(
        eq(devices.id, deviceTicketLocks.deviceId),
        sql`${deviceTicketLocks.commits} > ${devices.spentCommits}`,
        which,
      ),
    );

/**
 * The `cti` of a transaction token (rules §5): who asked for it and when, and never for what. 8 bytes: the
 * time (seconds since 1970, big endian), then 4 bytes of an HMAC over tag, person and time. The tag repeats it
 * in its statement, and the service knows its writer again without having kept a row for the token.
 */

/** Whom a `cti` is about: the folded device id, and the caller's pseudonym. */
export interface CtiSubject {
  readonly device: string;
  readonly sub: string;
}

const LENGTH = 8;
const TIME_LENGTH = 4;

/**
 * A `cti` for a token issued at `iat` (seconds since 1970). Throws TypeError if every key is of a later time.
 */
export async function mintCti(keys: readonly DatedKey[], subject: CtiSubject, iat: number): Promise<Bytes> {
  const key = keyOf(keys, iat);
  if (key === undefined) throw new TypeError("CTI_KEYS begin in the future");
  return concat(uint32(iat), await tagOf(key, subject, iat));
}

/** When the token of `cti` was issued, seconds since 1970. */
export const issuedAt = (cti: Bytes): number => new DataView(cti.buffer, cti.byteOffset, LENGTH).getUint32(0);

/** Whether the key that made `cti` is still here. One whose key is gone decides nothing. */
export const isKeyKept = (keys: readonly DatedKey[], cti: Bytes): boolean =>
  keyOf(keys, issuedAt(cti)) !== undefined;

/** Whether `cti` was made for `subject`. */
export async function opensFor(keys: readonly DatedKey[], cti: Bytes, subject: CtiSubject): Promise<boolean> {
  if (cti.length !== LENGTH) return false;
  const iat = issuedAt(cti);
  const key = keyOf(keys, iat);
  return key !== undefined && equalBytes(cti.subarray(TIME_LENGTH), await tagOf(key, subject, iat));
}

const keyOf = (keys: readonly DatedKey[], iat: number): CryptoKey | undefined =>
  keys.find(({ since }) => since <= iat)?.key;

async function tagOf(key: CryptoKey, { device, sub }: CtiSubject, iat: number): Promise<Bytes> {
  const parts = [utf8("cti"), utf8(device), utf8(sub), uint32(iat)];
  return (await hmac(key, lengthPrefixed(parts))).slice(0, LENGTH - TIME_LENGTH);
}

/** Each part with its length (4 bytes, big endian) before it: no two lists give the same bytes. */
export const lengthPrefixed = (parts: readonly Bytes[]): Bytes =>
  concat(...parts.flatMap((part) => [uint32(part.length), part]));

/** A number as 4 bytes, big endian. */
function uint32(value: number): Bytes {
  const bytes = new Uint8Array(TIME_LENGTH);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
