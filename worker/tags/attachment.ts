import { and, eq, gt, ne, not, type SQL, sql } from "drizzle-orm";
import type { DeviceAttachmentRequest, DeviceAttachmentResponse } from "../../core/api/index.ts";
import { bags, devices, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import {
  isEarlier,
  isUnused,
  type Keyed,
  outcomeOf,
  type Replayable,
  settle,
} from "../database/idempotency.ts";
import { inBatch, insertFrom, writtenOut } from "../database/statements.ts";
import { type DeviceNames, deviceNames, namedDeviceId, rowsOf } from "../devices/identity.ts";
import { keepDevice, learnDevice, registerDevice, tagEvidence } from "../devices/registry.ts";
import { ApiError } from "../errors.ts";
import { requireWithin } from "../guards/counters.ts";
import type { Keyable } from "../http/route.ts";
import { countAttachment, displaced, isCounted, mayAttach } from "./attachment-limits.ts";
import {
  auditLock,
  endLocks,
  givesWay,
  isAttacher,
  isEntitled,
  isEntitledToBag,
  isHolder,
  isLive,
  isLiveLockIn,
  isOlderThanLock,
  isOlderThanRemoval,
  spendNumbers,
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
  if (names === undefined) throw new ApiError("required_info_not_provided");
  const told = { ...input, uniqueDeviceId: names.shown };
  const heard = await hear(ctx, told);
  const attempt = attemptOf(ctx, { names, baggageId, heard, keyed });
  const evidence = await tagEvidence(ctx, input.tagCertificate);
  const learnt = { names, model: input.device, evidence };
  const { counted, settled } = await inBatch(ctx.db, {
    counted: countAttachment(ctx, { bag: attempt.bag, baggageId, keyed }),
    heard: heard.changes,
    device: registration(ctx, names, attempt),
    ...roomFor(ctx, attempt),
    lock: lockTag(ctx, attempt),
    audit: auditLock(ctx, "tag_attached", isWritten(ctx, attempt.device)),
    proof: proveAgain(ctx, attempt),
    displaced: endLocks(ctx, {
      which: displaced(ctx, { device: attempt.device, isWritten: isWritten(ctx, attempt.device) }),
      event: "lock_displaced",
      end: "displaced",
    }),
    kept: keepDevice(
      ctx,
      sql`(select ${deviceTicketLocks.deviceId} from ${deviceTicketLocks}
      where ${isWritten(ctx, attempt.device)} and ${deviceTicketLocks.entitled})`,
    ),
    learnt: learnDevice(ctx, learnt, { device: attempt.device, when: attachedBy(ctx, attempt) }),
    settled: settle(ctx, keyed, verdictOn(ctx, attempt)),
  });
  if (counted && !isEarlier(settled)) requireWithin(ctx, counted, "too_many_requests");
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

const registration = (ctx: BearerContext, names: DeviceNames, { known, may, baggageId }: Attempt) =>
  ctx.settings.registry === "open"
    ? registerDevice(ctx, names, { known, when: may, isEntitled: isEntitledToBag(ctx, baggageId) })
    : undefined;

/**
 * Takes away what the new lock replaces: claims that give way, and the caller's own locks under other names of
 * the tag, so that it has one. The number of a lock that is over is spent before the lock is written over.
 */
function roomFor(ctx: BearerContext, { device, rows, baggageId, may }: Attempt) {
  const { deviceId, entitled, holderSub } = deviceTicketLocks;
  const isOfTag = sql`${deviceId} in ${rows}`;
  // One write confirms a claim for its day: not again for every bag that the claim is moved to, nor after another's.
  const isMoved = sql`(not ${entitled} and (${deviceTicketLocks.baggageId} <> ${baggageId}
    or (${isEntitledToBag(ctx, baggageId)} and ${holderSub} <> ${ctx.principal.sub})))`;
  return {
    over: spendNumbers(ctx.db, sql`${isOfTag} and (not ${isLive(ctx)} or (${isMoved} and ${may}))`),
    claims: endLocks(ctx, {
      which: and(isLiveLockIn(ctx, rows), givesWay(ctx, baggageId), not(isAttacher(ctx)), may) as SQL,
      event: "claim_gave_way",
      end: "superseded",
    }),
    others: ctx.db.delete(deviceTicketLocks).where(and(isOfTag, ne(deviceId, device), may)),
  };
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
  /** Whether the caller may hold one more tag. */
  readonly isAllowed: SQL;
  /** Whether the tag has moved on since what the caller tells of. */
  readonly isLate: SQL;
  /** Whether somebody else's lock stands in the way. */
  readonly isBlocked: SQL;
  /** Whether all of this allows the attachment. */
  readonly may: SQL;
}

interface Given extends Pick<Attempt, "baggageId" | "heard"> {
  readonly names: DeviceNames;
  readonly keyed: Keyed;
}

function attemptOf(ctx: BearerContext, { names, baggageId, heard, keyed }: Given): Attempt {
  const known = namedDeviceId(names);
  const device = sql<string>`coalesce(${known}, ${names.key})`;
  const rows = rowsOf(names);
  const bag = bagOf(ctx, baggageId);
  const lockThat = (rule: SQL) =>
    sql`exists (select 1 from ${deviceTicketLocks} where ${isLiveLockIn(ctx, rows)} and ${rule})`;
  const isOlder = sql`${isHolder(ctx)} and ${deviceTicketLocks.baggageId} <> ${baggageId} and ${isOlderThanLock(heard.cti)}`;
  const isUnlocked = sql`not ${lockThat(sql`not ${givesWay(ctx, baggageId)}`)}`;
  const isLate = writtenOut(
    sql`(${lockThat(isOlder)} or (${isUnlocked} and exists (select 1 from ${devices}
      where ${devices.id} in ${rows} and ${isOlderThanRemoval(ctx, heard.cti)})))`,
  );
  const isBlocked = writtenOut(lockThat(sql`not (${isHolder(ctx)} or ${givesWay(ctx, baggageId)})`));
  const isAllowed = writtenOut(sql`(${isCounted(ctx)} and ${mayAttach(ctx, { device, baggageId })})`);
  const may =
    writtenOut(sql`(${isUnused(ctx, keyed)} and ${isAllowed} and exists ${bag} and not ${heard.isStale}
    and not ${isLate} and not ${isBlocked})`);
  return { known, device, rows, bag, baggageId, heard, isAllowed, isLate, isBlocked, may };
}

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
function lockTag(ctx: BearerContext, { device, baggageId, bag, heard, may }: Attempt) {
  const { db, now, principal, requestId, settings } = ctx;
  const lock = deviceTicketLocks;
  const isOver = sql`${lock.endsAt} <= ${now}`;
  const isOther = sql`(${lock.baggageId}, ${lock.journeyId}, ${lock.planId}) is not
    (excluded.baggage_id, excluded.journey_id, excluded.plan_id)`;
  const isRaised = sql`(excluded.entitled and not ${lock.entitled})`;
  const entitled = isEntitledToBag(ctx, baggageId);
  const life = sql`case when ${entitled} then ${settings.limits.lockSeconds * 1_000}
    else ${settings.limits.claimSeconds * 1_000} end`;
  const row = {
    deviceId: devices.id,
    planId: travelPlans.id,
    journeyId: journeys.id,
    baggageId: bags.id,
    entitled,
    holderSub: principal.sub,
    writerSub: principal.sub,
    commits: heard.proof,
    cti: heard.cti ?? null,
    lockedAt: now,
    endsAt: sql`min(${travelPlans.endsAt}, ${now} + ${life})`,
    requestId,
  };
  const from = sql`from ${devices}, ${bags}
    inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
    where ${devices.id} = ${device} and ${bags.id} = ${bag} and ${may}`;
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
      lostAt: null,
      requestId,
    },
    setWhere: sql`${isOver} or (${isHolder(ctx)} and (${isOther} or ${isRaised}))`,
  });
}

/** Whether this request wrote the lock as it stands: a condition over `device_ticket_locks`. */
const isWritten = (ctx: BearerContext, device: SQL<string>): SQL =>
  writtenOut(and(isOn(ctx, device), eq(deviceTicketLocks.requestId, ctx.requestId)) as SQL);

/** The live lock on that row. */
const isOn = (ctx: BearerContext, device: SQL<string>): SQL =>
  and(eq(deviceTicketLocks.deviceId, device), isLive(ctx)) as SQL;

/** Whether the tag is locked as the caller wants it: by the caller or their travel plan, with this bag. */
const attachedBy = (ctx: BearerContext, { device, baggageId }: Attempt): SQL =>
  writtenOut(
    sql`exists (select 1 from ${deviceTicketLocks}
      where ${isOn(ctx, device)} and ${isHolder(ctx)} and ${deviceTicketLocks.baggageId} = ${baggageId})`,
  );

/** The same bag again, with news of the tag: its number and the token that it took. */
function proveAgain(ctx: BearerContext, { device, baggageId, heard, may }: Attempt) {
  const { cti } = heard;
  if (cti === undefined) return undefined;
  const { commits, cti: kept } = deviceTicketLocks;
  const isSame = and(isOn(ctx, device), isHolder(ctx), eq(deviceTicketLocks.baggageId, baggageId), may);
  const isNews = sql`(${heard.proof} is not null and ${heard.proof} is not ${commits})`;
  return [
    auditLock(ctx, "lock_proven_by_tag", and(isSame, isNews) as SQL),
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
  const { known, device, bag, heard, isAllowed, isLate, isBlocked } = attempt;
  const lock = deviceTicketLocks;
  const isAttached = attachedBy(ctx, attempt);
  return sql`select case
      when not ${isAttached} and not (${isAllowed}) then 'too_many_requests'
      when not exists ${bag} then 'baggage_not_found'
      when ${heard.isStale} then 'stale_statement'
      when ${isBlocked} then 'device_locked'
      when ${isLate} then 'stale_attachment'
      when ${known} is null then 'device_not_found'
      when ${isAttached} then 'ok' else 'device_locked' end as outcome,
    case when ${isAttached} then (
      select json_object('journeyId', ${lock.journeyId}, 'lockedAt', ${lock.lockedAt},
        'others', case when ${lock.entitled} then ${otherDevices(ctx, attempt)} else json('[]') end)
      from ${lock} where ${isOn(ctx, device)}
    ) else '{}' end as facts`;
}

/** Further tags that are locked to the bag, as JSON: their ids, latest first. Claims do not count. */
const otherDevices = ({ now }: BearerContext, { device, baggageId }: Attempt): SQL =>
  sql`(select json_group_array(other.label) from (
    select ${devices.label} as label from ${deviceTicketLocks} as further
    inner join ${devices} on ${devices.id} = further.device_id
    where further.plan_id = ${deviceTicketLocks.planId} and further.baggage_id = ${baggageId} and further.entitled and further.ends_at > ${now}
      and further.device_id <> ${device} order by further.locked_at desc) as other)`;
