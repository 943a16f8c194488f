import { and, eq, gt, type SQL } from "drizzle-orm";
import type { DeviceAttachmentRequest, DeviceAttachmentResponse } from "../../core/api/index.ts";
import { bags, devices, deviceTicketLocks, journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { type AuditedEvent, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { isEarlier, isUnused, outcomeOf, type Replayable, settle } from "../database/idempotency.ts";
import { inBatch, insertFrom } from "../database/statements.ts";
import { type DeviceNames, deviceNames, idOf, namedDeviceId, rowsOf } from "../devices/identity.ts";
import { learnDevice, registerDevice, tagEvidence } from "../devices/registry.ts";
import type { Keyable } from "../http/route.ts";
import {
  beginsWith,
  countAttachment,
  displaced,
  isJudged,
  judgedAs,
  judgementOf,
  listedIn,
  mayAttach,
  planOf,
  refuseUncounted,
} from "./attachment-limits.ts";
import {
  attachesFor,
  auditLock,
  auditProven,
  endLocks,
  hasLivePlan,
  isAttacher,
  isBareClaim,
  isEntitled,
  isEntitledToBag,
  isHolder,
  isLive,
  isLiveLockIn,
  isOlderThanLock,
  isOlderThanRemoval,
} from "./lock-rules.ts";
import { type Heard, hear } from "./statement.ts";

/**
 * Attaches a bag to a tag and locks the tag to the bag's travel plan (endpoint 9, rules §5), all in one
 * batch: of several concurrent callers, one creates the lock and the others find it. A holder may attach
 * again: the same bag, which changes nothing, or another, which moves the lock. A claim gives way to whoever
 * is entitled.
 *
 * A bag whose travel plan is past does not count: its lock would have ended before it began. Throws
 * `too_many_requests`, `baggage_not_found`, `device_not_found`, `device_locked`, `stale_statement`,
 * `stale_attachment`, `idempotency_key_reused`.
 */
export async function attach(
  ctx: BearerContext,
  input: DeviceAttachmentRequest,
  { keyed }: Keyable,
): Promise<Replayable<DeviceAttachmentResponse>> {
  const { baggageId } = input;
  const names = deviceNames(input.device);
  const told = { ...input, uniqueDeviceId: names.shown };
  const heard = await hear(ctx, told);
  const attempt = attemptOf(ctx, { names, baggageId, heard });
  const evidence = await tagEvidence(ctx, input.tagCertificate);
  const learnt = { names, model: input.device, evidence };
  const { counted, settled } = await inBatch(ctx.db, {
    heard: heard.changes,
    counted: countAttachment(ctx, attempt, {
      isNew: isUnused(ctx, keyed),
      judgement: judgementOn(ctx, attempt),
    }),
    device: registerDevice(ctx, names, {
      device: attempt.device,
      from: sql`from ${attempt.allowed} where ${ctx.settings.registry === "open" ? sql`true` : sql`${attempt.known} is not null`}`,
      isEntitled: IS_ENTITLED,
    }),
    room: roomFor(ctx, attempt),
    lock: lockTag(ctx, attempt),
    audit: auditLock(ctx, "attached", isWritten(ctx, attempt.device)),
    proof: proveAgain(ctx, attempt),
    // Not of a request that is refused, sent again or over a limit, although its caller holds the tag: names are rows.
    learnt: learnDevice(ctx, learnt, {
      device: attempt.device,
      when: sql`(${attempt.may} or ${isJudged(ctx, STANDS)})`,
    }),
    settled: settle(ctx, keyed, verdictOn(ctx, attempt)),
  });
  if (counted.length === 0 && !isEarlier(settled)) await refuseUncounted(ctx, attempt);
  const { facts, isReplay } = outcomeOf(keyed, settled);
  const others = [facts.others ?? []].flat().map(String);
  return {
    answer: {
      uniqueDeviceId: names.shown,
      baggageId,
      journeyId: String(facts.journeyId),
      locked: true,
      lockedAt: new Date(Number(facts.lockedAt)).toISOString(),
      ...(others.length > 0 && { otherDevices: others }),
    },
    isReplay,
  };
}

/**
 * Takes away what the new lock replaces: claims that give way, the lock that goes where the booking has too many, and the
 * caller's own locks under other names of the tag, so that it has one. The number of a lock that is over is spent before
 * the lock is written over.
 *
 * The airline of a lock that is written over hears of it: that it had come to its end, or that a holder has moved the tag
 * to another booking, or attached it by another of its names. Else the new lock's entry says as much.
 */
function roomFor(ctx: BearerContext, { device, rows, baggageId, may }: Attempt) {
  const { deviceId, entitled, holderSub, planId } = deviceTicketLocks;
  const goes = sql`${deviceId} in ${listedIn(ctx, ALLOWED)}`;
  const isOver = sql`not ${isLive(ctx)}`;
  const isOfTag = sql`${deviceId} in ${rows} and ${may}`;
  const isLeft = sql`(${isHolder(ctx)} and (${planId} <> ${planOf(baggageId)} or ${deviceId} <> ${device}))`;
  // One write confirms a claim for its day: not again for every bag that the claim is moved to, nor after another's.
  const isMoved = sql`(not ${entitled} and (${deviceTicketLocks.baggageId} <> ${baggageId}
    or (${holderSub} <> ${ctx.principal.sub} and ${isJudged(ctx, ENTITLED)})))`;
  const { sub, clientId } = byCaller(ctx);
  const ofCaller = (value: string) => sql`case when ${isOver} then null else ${value} end`;
  return endLocks(ctx, {
    which: goes,
    // A claim gives way, an entitled lock is displaced.
    event: sql<AuditedEvent>`case when ${goes} then case when ${entitled} then 'displaced' else 'claim_gave_way' end
      when ${isOver} then 'lock_ended' else 'replaced' end`,
    end: sql`case when ${entitled} then 'displaced' else 'superseded' end`,
    entries: [{ by: { sub: ofCaller(sub), clientId: ofCaller(clientId) } }],
    replaced: {
      named: sql`(${isOfTag} and (${isOver} or ${isLeft}))`,
      spent: sql`(${isOfTag} and (${isOver} or ${isMoved}))`,
      gone: sql`(${isOfTag} and ${deviceId} <> ${device})`,
    },
  });
}

/** One attempt to attach, as SQL. */
interface Attempt {
  /** Id of the tag if it is registered, else null. */
  readonly known: SQL<string | null>;
  /** The id that the tag has or will get. */
  readonly device: SQL<string>;
  /** Every row that its name can mean. */
  readonly rows: SQL;
  /** The bag, if the caller may attach it. */
  readonly bag: ReturnType<typeof bagOf>;
  readonly baggageId: number;
  readonly heard: Heard;
  /** Whether {@link judgementOn} has allowed the attachment. */
  readonly may: SQL;
  /** To select from: a row with {@link IS_ENTITLED} if it has, else none. */
  readonly allowed: SQL;
}

function attemptOf(
  ctx: BearerContext,
  { names, baggageId, heard }: Pick<Attempt, "baggageId" | "heard"> & { readonly names: DeviceNames },
): Attempt {
  return {
    known: namedDeviceId(names),
    device: idOf(names),
    rows: rowsOf(names),
    bag: bagOf(ctx, baggageId),
    baggageId,
    heard,
    may: isJudged(ctx, ALLOWED),
    allowed: sql`(select ${beginsWith(ctx, ENTITLED)} as is_entitled from ${judgedAs(ctx, ALLOWED)}) as judged`,
  };
}

/** Judgements that are no refusal begin so where the attachment may be made, with the devices whose locks end for it, */
const ALLOWED = "+";
/** by somebody entitled to the bag, */
const ENTITLED = "+entitled";
/** or by their word alone; */
const CLAIM = "+claim";
/** and so where it stands already, and its holder may have no more. */
const STANDS = "=";

/** Whether what is allowed is that of somebody entitled to the bag. */
const IS_ENTITLED: SQL = sql`judged.is_entitled`;

/** What becomes of the attempt, judged once and before anything has changed: one of the above, or why it is refused. */
function judgementOn(ctx: BearerContext, attempt: Attempt): SQL {
  const { known, device, rows, bag, baggageId, heard } = attempt;
  const lock = deviceTicketLocks;
  const isEntitled = sql`caller.is_entitled`;
  const plan = sql`caller.plan_id`;
  const yields = sql`(${isBareClaim} and (caller.has_plan or ${isEntitled}))`;
  // Of the locks that stand, whether somebody else's is in the way, and whether one is newer than what the caller tells of.
  const isOlder = sql`${isHolder(ctx)} and ${lock.baggageId} <> ${baggageId} and ${isOlderThanLock(heard.cti)}`;
  const isLate = sql`(standing.is_older or (standing.is_locked is not true and exists (select 1 from ${devices}
    where ${devices.id} in ${rows} and ${isOlderThanRemoval(ctx, heard.cti)})))`;
  const isAllowed = mayAttach(ctx, { device, isEntitled, plan });
  const ending = sql`(select json_group_array(${lock.deviceId}) from ${lock}
    where (${isLiveLockIn(ctx, rows)} and ${yields} and not ${isAttacher(ctx)})
      or (${isEntitled} and ${displaced(ctx, { device, baggageId, plan })}))`;
  return sql`with caller as materialized (select ${isEntitledToBag(ctx, baggageId)} as is_entitled,
      ${hasLivePlan(ctx, ctx.principal.sub)} as has_plan, ${planOf(baggageId)} as plan_id)
    select case
      when not allowance.is_allowed and not ${attachedBy(ctx, attempt)} then 'too_many_requests'
      when not exists ${bag} then 'baggage_not_found'
      when ${heard.isStale} then 'stale_statement'
      when standing.is_blocked then 'device_locked'
      when ${heard.cti === undefined ? sql`false` : isLate} then 'stale_attachment'
      when ${ctx.settings.registry === "closed" ? sql`${known} is null` : sql`false`} then 'device_not_found'
      when not allowance.is_allowed then ${STANDS}
      else case when ${isEntitled} then ${ENTITLED} else ${CLAIM} end || ${ending} end
    from caller, (select ${isAllowed} as is_allowed from caller) as allowance,
      (select max(not ${yields}) as is_locked, max(not (${mayMove(ctx, plan)} or ${yields})) as is_blocked,
      max(${isOlder}) as is_older from ${lock}, caller where ${isLiveLockIn(ctx, rows)}) as standing`;
}

/** Whether the caller holds the lock and may move it to the bag: a delegate within the booking. */
const mayMove = (ctx: BearerContext, plan: SQL): SQL<boolean> =>
  isHolder(ctx, sql`${loadedPlans.planId} = ${plan}`);

/** The bag, if the caller may attach it; some clients' callers only what they are entitled to. */
function bagOf(ctx: BearerContext, baggageId: number) {
  const mustBeEntitled = ctx.client.flags.requireLoadedJourney === true;
  return ctx.db
    .select({ bagId: bags.id })
    .from(bags)
    .innerJoin(journeys, eq(journeys.id, bags.journeyId))
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .where(
      and(
        eq(bags.id, baggageId),
        gt(travelPlans.endsAt, ctx.now),
        mustBeEntitled ? isEntitled(ctx) : undefined,
      ),
    );
}

/**
 * Creates the lock, or moves one that has ended or is the caller's own. Any other stays as it is. The same
 * bag again changes nothing, unless it turns a claim into an entitled lock.
 */
function lockTag(ctx: BearerContext, { device, baggageId, heard, allowed }: Attempt) {
  const { db, now, principal, requestId, settings } = ctx;
  const lock = deviceTicketLocks;
  const isOver = sql`${lock.endsAt} <= ${now}`;
  const isOther = sql`(${lock.baggageId}, ${lock.journeyId}, ${lock.planId}) is not
    (excluded.baggage_id, excluded.journey_id, excluded.plan_id)`;
  const isRaised = sql`(excluded.entitled and not ${lock.entitled})`;
  const life = sql`case when ${IS_ENTITLED} then ${settings.limits.lockSeconds * 1_000}
    else ${settings.limits.claimSeconds * 1_000} end`;
  const row = {
    deviceId: devices.id,
    planId: travelPlans.id,
    journeyId: journeys.id,
    baggageId: bags.id,
    entitled: IS_ENTITLED,
    holderSub: sql`case when ${IS_ENTITLED} then ${attachesFor(ctx, sql`${travelPlans.id}`)} else ${principal.sub} end`,
    writerSub: principal.sub,
    commits: heard.proof,
    cti: heard.cti,
    lockedAt: now,
    endsAt: sql`min(${travelPlans.endsAt}, ${now} + ${life})`,
    requestId,
  };
  const from = sql`from ${allowed}, ${devices}, ${bags}
    inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
    where ${devices.id} = ${device} and ${bags.id} = ${baggageId}`;
  // A claimant who has loaded the booking since keeps what the tag said of the very same bag.
  const isSameWrite = sql`not ${isOver} and not ${isOther} and ${lock.holderSub} = ${principal.sub}`;
  const staysWith = sql`not ${isOver} and ${lock.entitled} and ${lock.planId} = excluded.plan_id`;
  const excluded = (column: string) => sql`excluded.${sql.identifier(column)}`;
  return insertFrom(db, lock, row, from).onConflictDoUpdate({
    target: lock.deviceId,
    set: {
      planId: excluded("plan_id"),
      journeyId: excluded("journey_id"),
      baggageId: excluded("baggage_id"),
      entitled: excluded("entitled"),
      // Whose attachment made the lock entitled stays its holder, whoever moves it.
      holderSub: sql`case when ${staysWith} then ${lock.holderSub} else excluded.holder_sub end`,
      writerSub: principal.sub,
      commits: sql`case when ${isSameWrite} then coalesce(excluded.commits, ${lock.commits})
        else excluded.commits end`,
      cti: excluded("cti"),
      lockedAt: now,
      endsAt: excluded("ends_at"),
      ...{ lostAt: null, foundAt: null, mutedAt: null },
      requestId,
    },
    setWhere: sql`${isOver} or (${mayMove(ctx, planOf(baggageId))} and (${isOther} or ${isRaised}))`,
  });
}

/** Whether this request wrote the lock as it stands: a condition over `device_ticket_locks`. */
const isWritten = (ctx: BearerContext, device: SQL<string>): SQL =>
  and(isOn(ctx, device), eq(deviceTicketLocks.requestId, ctx.requestId)) as SQL;

/** The live lock on that row. */
const isOn = (ctx: BearerContext, device: SQL<string>): SQL =>
  and(eq(deviceTicketLocks.deviceId, device), isLive(ctx)) as SQL;

/** Whether the tag is locked as the caller wants it: by the caller or their travel plan, with this bag. */
const attachedBy = (ctx: BearerContext, attempt: Attempt): SQL =>
  sql`exists (select 1 from ${deviceTicketLocks} where ${isAsWanted(ctx, attempt)})`;

const isAsWanted = (ctx: BearerContext, { device, baggageId }: Attempt): SQL =>
  sql`${isOn(ctx, device)} and ${isHolder(ctx)} and ${deviceTicketLocks.baggageId} = ${baggageId}`;

/** The same bag again, with news of the tag: its number and the token that it took. */
function proveAgain(ctx: BearerContext, { device, baggageId, heard, may }: Attempt) {
  const { cti } = heard;
  if (cti === undefined) return undefined;
  const { commits, cti: kept } = deviceTicketLocks;
  const isSame = and(isOn(ctx, device), isHolder(ctx), eq(deviceTicketLocks.baggageId, baggageId), may);
  const isNews = sql`(${heard.proof} is not null and ${heard.proof} is not ${commits})`;
  return [
    auditProven(ctx, and(isSame, isNews) as SQL),
    ctx.db
      .update(deviceTicketLocks)
      .set({
        commits: sql`coalesce(${heard.proof}, ${commits})`,
        cti: sql`max(coalesce(${kept}, ''), ${cti})`,
      })
      .where(isSame),
  ];
}

function verdictOn(ctx: BearerContext, attempt: Attempt): SQL {
  const lock = deviceTicketLocks;
  const isAttached = sql`${lock.deviceId} is not null`;
  return sql`select case
      when judged.judgement is null then 'too_many_requests'
      when substr(judged.judgement, 1, 1) not in (${ALLOWED}, ${STANDS}) then judged.judgement
      when ${isAttached} then 'ok' else 'device_locked' end as outcome,
    case when ${isAttached} then json_object('journeyId', ${lock.journeyId}, 'lockedAt', ${lock.lockedAt},
      'others', case when ${lock.entitled} then ${otherDevices(ctx, attempt)} else json('[]') end)
    else '{}' end as facts
    from (select ${judgementOf(ctx)} as judgement) as judged left join ${lock} on ${isAsWanted(ctx, attempt)}`;
}

/** Further tags that are locked to the bag, as JSON: their ids, latest first. Claims do not count. */
const otherDevices = ({ now }: BearerContext, { device, baggageId }: Attempt): SQL =>
  sql`(select json_group_array(other.label) from (
    select ${devices.label} as label from ${deviceTicketLocks} as further
    inner join ${devices} on ${devices.id} = further.device_id
    where further.plan_id = ${deviceTicketLocks.planId} and further.baggage_id = ${baggageId} and further.entitled and further.ends_at > ${now}
      and further.device_id <> ${device} order by further.locked_at desc) as other)`;
