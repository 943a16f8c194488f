import { and, eq, type SQL } from "drizzle-orm";
import type { EbtLockLookupRequest, EbtLockLookupResponse } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import {
  bags,
  devices,
  deviceTicketLocks,
  failedProofs,
  flights,
  journeys,
  loadedPlans,
  travelPlans,
} from "../../db/schema.ts";
import { open } from "../../db/sealed.ts";
import { sql } from "../../db/sql.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { type AnswersOf, inBatch } from "../database/statements.ts";
import { deviceKey, rowsNamed } from "../devices/identity.ts";
import { failedAtLock, failedColumns, failedNotice } from "../guards/failed-proofs.ts";
import { challengeFor } from "./challenge.ts";
import { CLAIM_HINTS, lockHints } from "./hints.ts";
import { hasLivePlan, hasLoadedPlan, isLiveLockOf, isNearFlight, vouchedAirlines } from "./lock-rules.ts";

/**
 * Whether a tag is locked and, as far as the caller may know, to whom (endpoint 10, rules §5). Writes
 * nothing. Everything is read in the D1 call that authenticates, so who calls is known only afterwards: the
 * rules of lock-rules.ts about the caller are applied here, to what was read.
 */

/** The tag's rows and their live locks: statements that ask for `sub`. */
const readForLookup = (ctx: RequestContext, sub: string, input: EbtLockLookupRequest) => ({
  locks: readLocks(ctx, sub, input.uniqueDeviceId),
  tags: ctx.db
    .select({
      tagSpkiHash: devices.tagSpkiHash,
      endedReason: devices.endedReason,
      endedAt: devices.endedAt,
      wasHolder: wasHolder(sub).mapWith(Boolean).as("was_holder"),
    })
    .from(devices)
    .where(sql`${devices.id} in ${rowsNamed(input.uniqueDeviceId)}`),
  caller: ctx.db
    .select({
      hasLivePlan: hasLivePlan(ctx, sub).mapWith(Boolean).as("has_live_plan"),
    })
    .from(sql`(select 1)`),
  bag: input.forBaggageId === undefined ? undefined : readBag(ctx, sub, input.forBaggageId),
});

const readLocks = (ctx: RequestContext, sub: string, uniqueDeviceId: string) =>
  ctx.db
    .select({
      planId: deviceTicketLocks.planId,
      baggageId: deviceTicketLocks.baggageId,
      requestId: deviceTicketLocks.requestId,
      lostAt: deviceTicketLocks.lostAt,
      lockedAt: deviceTicketLocks.lockedAt,
      entitled: deviceTicketLocks.entitled,
      commits: deviceTicketLocks.commits,
      isAttacher: sql`${deviceTicketLocks.holderSub} = ${sub}`.mapWith(Boolean).as("is_attacher"),
      hasLoaded: hasLoadedPlan(sub).mapWith(Boolean).as("has_loaded"),
      locatorSealed: travelPlans.locatorSealed,
      surnameInitial: journeys.surnameInitial,
      departureAirport: journeys.departureAirport,
      destinationAirport: journeys.destinationAirport,
      firstFlight: flightDay("min").as("first_flight"),
      lastFlight: flightDay("max").as("last_flight"),
      bagOnOtherTag: hasOtherTag(ctx).mapWith(Boolean).as("bag_on_other_tag"),
      ...failedColumns,
    })
    .from(deviceTicketLocks)
    .innerJoin(travelPlans, eq(travelPlans.id, deviceTicketLocks.planId))
    // If a journey was removed from its booking, the tag stays locked to the booking.
    .leftJoin(journeys, eq(journeys.id, deviceTicketLocks.journeyId))
    .leftJoin(failedProofs, failedAtLock())
    .where(isLiveLockOf(ctx, uniqueDeviceId));

/** The day of the journey's first or last flight; null if the journey was removed. */
const flightDay = (which: "min" | "max") =>
  sql<string | null>`(select ${sql.raw(which)}(${flights.date}) from ${flights}
    where ${flights.journeyId} = ${deviceTicketLocks.journeyId})`;

/** Whether another tag is locked to the same bag. Claims do not count. */
const hasOtherTag = ({ now }: RequestContext): SQL =>
  sql`exists (select 1 from ${deviceTicketLocks} as further
    where further.plan_id = ${deviceTicketLocks.planId} and further.baggage_id = ${deviceTicketLocks.baggageId}
      and further.entitled and further.ends_at > ${now} and further.device_id <> ${deviceTicketLocks.deviceId})`;

/** Whether `sub` held the last lock that ended on the tag. */
const wasHolder = (sub: string): SQL =>
  sql`(${devices.endedHolderSub} = ${sub} or ${devices.endedPlanId} in
    (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${sub}))`;

/** What entitlement to the named bag depends on. */
const readBag = ({ db, now }: RequestContext, sub: string, baggageId: number) =>
  db
    .select({
      airline: travelPlans.airline,
      firstFlightDate: travelPlans.firstFlightDate,
      // As a delegate: whose own the booking is has a live one, which is enough.
      isLoaded: sql`${travelPlans.id} in
        (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${sub})`
        .mapWith(Boolean)
        .as("is_loaded"),
    })
    .from(bags)
    .innerJoin(journeys, eq(journeys.id, bags.journeyId))
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .where(and(eq(bags.id, baggageId), sql`${travelPlans.endsAt} > ${now}`));

type Rows = AnswersOf<ReturnType<typeof readForLookup>>;
type LockRow = Rows["locks"][number];

const UNLOCKED = { locked: false, sameTravelPlan: false, requiresCustodyProof: false } as const;

/**
 * What the rows of {@link readForLookup} say. Callers who have to prove custody get hints and, where the tag
 * can sign, a challenge for it; holders get the notice.
 */
export async function lookUp(
  ctx: BearerContext,
  input: EbtLockLookupRequest,
): Promise<EbtLockLookupResponse> {
  const rows = await inBatch(ctx.db, readForLookup(ctx, ctx.principal.sub, input));
  // One's own claim gives way to nobody here: it says which bag is on the tag.
  const standing = rows.locks.filter((lock) => isOwn(ctx, lock) || !givesWay(ctx, lock, rows));
  const foreign = standing.find((lock) => !holds(ctx, lock));
  if (foreign !== undefined) return locked(ctx, input, foreign, rows);
  const [own] = standing;
  if (own === undefined) return { ...UNLOCKED, ...endNotice(rows) };
  return {
    locked: true,
    sameTravelPlan: true,
    requiresCustodyProof: false,
    ...bagNotice(own, input),
    ...failedNotice(own),
    ...lostNotice(own),
  };
}

async function locked(
  ctx: BearerContext,
  { uniqueDeviceId, tagCertificate }: EbtLockLookupRequest,
  lock: LockRow,
  rows: Rows,
): Promise<EbtLockLookupResponse> {
  const canSign = tagCertificate !== undefined || rows.tags.some(({ tagSpkiHash }) => tagSpkiHash !== null);
  const presence = { device: deviceKey(uniqueDeviceId), sub: ctx.principal.sub, lock: lock.requestId };
  return {
    locked: true,
    sameTravelPlan: false,
    requiresCustodyProof: true,
    hints: lock.entitled ? await hintsOf(ctx, lock) : CLAIM_HINTS,
    ...staffNotice(ctx, lock),
    ...lostNotice(lock),
    ...(canSign && { tagChallenge: toBase64Url(await challengeFor(ctx, presence)) }),
    ...endNotice(rows),
  };
}

/**
 * For who is about to write a bag: which one the tag carries. Who holds a tag by their word alone is told nothing of
 * the booking.
 */
const bagNotice = ({ entitled, hasLoaded, baggageId }: LockRow, { forBaggageId }: EbtLockLookupRequest) =>
  forBaggageId !== undefined && (entitled || hasLoaded) ? { attachedBaggageId: baggageId } : {};

/**
 * Who may open a lock without a proof must know what it would do: whether the journey is over, and whether its bag would be
 * on no tag. Of a claim nobody learns anything.
 */
function staffNotice(
  { principal }: BearerContext,
  { entitled, firstFlight, lastFlight, bagOnOtherTag }: LockRow,
): Pick<EbtLockLookupResponse, "flightDates" | "bagOnOtherTag"> {
  if (!principal.scopes.includes("tag:release") || !entitled) return {};
  if (firstFlight === null || lastFlight === null) return { bagOnOtherTag };
  return { flightDates: { first: firstFlight, last: lastFlight }, bagOnOtherTag };
}

const lostNotice = ({ lostAt }: LockRow) => (lostAt === null ? {} : { lost: true });

/** Former holders hear why their lock ended. */
function endNotice({ tags }: Rows): Pick<EbtLockLookupResponse, "lockEnded"> {
  const ended = tags.find(({ wasHolder }) => wasHolder);
  if (ended?.endedReason == null || ended.endedAt === null) return {};
  return { lockEnded: { reason: ended.endedReason, at: new Date(ended.endedAt).toISOString() } };
}

/** `isHolder` of lock-rules.ts, of a row. */
const holds = (ctx: BearerContext, lock: LockRow): boolean => lock.hasLoaded || isOwn(ctx, lock);

/** `isAttacher` of lock-rules.ts, of a row. */
function isOwn({ principal, now, settings }: BearerContext, lock: LockRow): boolean {
  const { staffHoldsSeconds } = settings.limits;
  return lock.isAttacher && (!principal.staff || lock.lockedAt > now - staffHoldsSeconds * 1_000);
}

/** `givesWay` of lock-rules.ts, of a row. */
function givesWay(ctx: BearerContext, lock: LockRow, { caller, bag }: Rows): boolean {
  if (lock.entitled || lock.commits !== null) return false;
  if (caller[0]?.hasLivePlan === true) return true;
  const [named] = bag ?? [];
  if (named === undefined || !isNearFlight(ctx, named.firstFlightDate)) return false;
  return named.isLoaded || vouchedAirlines(ctx).includes(named.airline);
}

async function hintsOf({ settings }: RequestContext, lock: LockRow) {
  const recordLocator = await open(
    settings.dataKey,
    { field: "locator", id: lock.planId },
    lock.locatorSealed,
  );
  return lockHints({
    recordLocator,
    surname: lock.surnameInitial ?? "",
    departureAirport: lock.departureAirport ?? "",
    destinationAirport: lock.destinationAirport ?? "",
  });
}
