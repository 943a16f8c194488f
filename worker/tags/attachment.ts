import { and, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import type { DeviceAttachmentRequest, DeviceAttachmentResponse } from "../../core/api/index.ts";
import { bags, devices, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, outcomeOf, type Replayable, settle } from "../database/idempotency.ts";
import { inBatch, insertFrom } from "../database/statements.ts";
import { deviceNames, namedDeviceId } from "../devices/identity.ts";
import { learnDevice, registerDevice, tagEvidence } from "../devices/registry.ts";
import { ApiError } from "../errors.ts";
import type { Keyable } from "../http/route.ts";
import { visibleTo } from "../journeys/own-journeys.ts";
import { mayHold, requireAttachable } from "./attachment-limits.ts";
import { auditLock, isHolder, isLiveLockOf } from "./lock-rules.ts";

/**
 * Attaches a bag to a tag and locks the tag to the bag's travel plan (endpoint 9, rules §5), all in one
 * batch: of several concurrent callers, one creates the lock and the others find it. A holder may attach
 * again: the same bag, which changes nothing, or another, which moves the lock.
 *
 * A bag whose travel plan is past does not count: its lock would have ended before it began. Throws
 * `too_many_requests`, `baggage_not_found`, `device_not_found`, `device_locked`, `idempotency_key_reused`.
 */
export async function attach(
  ctx: BearerContext,
  { device: model, baggageId, tagCertificate }: DeviceAttachmentRequest,
  { keyed }: Keyable,
): Promise<Replayable<DeviceAttachmentResponse>> {
  const names = deviceNames(model);
  if (names === undefined) throw new ApiError("required_info_not_provided");
  const known = namedDeviceId(names);
  const device = sql<string>`coalesce(${known}, ${names.key})`;
  const attempt: Attempt = {
    known,
    device,
    bag: bagOf(ctx, baggageId),
    baggageId,
    isAllowed: mayHold(ctx, device),
  };
  await requireAttachable(ctx, attempt.bag, keyed);
  const isAttached = attachedBy(ctx, attempt);
  const evidence = await tagEvidence(ctx, tagCertificate);
  const when = and(isUnused(ctx, keyed), attempt.isAllowed) as SQL;
  const isOpen = ctx.settings.registry === "open";
  const { settled } = await inBatch(ctx.db, {
    device: isOpen ? registerDevice(ctx, names, { known, when: and(exists(attempt.bag), when) }) : undefined,
    lock: lockTag(ctx, attempt, when),
    audit: auditLock(ctx, "tag_attached", isWritten(ctx, device)),
    learnt: learnDevice(ctx, { names, model, evidence }, { device, when: isAttached }),
    settled: settle(ctx, keyed, verdictOn(ctx, attempt, isAttached)),
  });
  const { facts, isReplay } = outcomeOf(keyed, settled);
  return {
    answer: {
      uniqueDeviceId: names.shown,
      baggageId,
      journeyId: String(facts.journeyId),
      locked: true,
      lockedAt: new Date(Number(facts.lockedAt)).toISOString(),
    },
    isReplay,
  };
}

/** One attempt to attach, as SQL. */
interface Attempt {
  /** Id of the tag if it is registered, else null. */
  readonly known: SQL<string | null>;
  /** The id that the tag has or will get. */
  readonly device: SQL<string>;
  /** The bag, if the caller may attach it. */
  readonly bag: ReturnType<typeof bagOf>;
  readonly baggageId: number;
  /** Whether the caller may hold one more tag. */
  readonly isAllowed: SQL;
}

function bagOf(ctx: BearerContext, baggageId: number) {
  const needsLoaded = ctx.client.flags.requireLoadedJourney === true;
  return ctx.db
    .select({ bagId: bags.id })
    .from(bags)
    .innerJoin(journeys, eq(journeys.id, bags.journeyId))
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .where(
      and(eq(bags.id, baggageId), gt(travelPlans.endsAt, ctx.now), needsLoaded ? visibleTo(ctx) : undefined),
    );
}

/** Creates the lock, or moves one that has ended or is the caller's own. Any other stays as it is. */
function lockTag(ctx: BearerContext, { device, bag }: Attempt, when: SQL) {
  const { db, now, principal, requestId } = ctx;
  const lock = deviceTicketLocks;
  const isOver = sql`${lock.endsAt} <= ${now}`;
  const isOther = sql`(${lock.baggageId}, ${lock.journeyId}, ${lock.planId}) is not
    (excluded.baggage_id, excluded.journey_id, excluded.plan_id)`;
  const row = {
    deviceId: devices.id,
    planId: travelPlans.id,
    journeyId: journeys.id,
    baggageId: bags.id,
    holderSub: principal.sub,
    lockedAt: now,
    endsAt: travelPlans.endsAt,
    requestId,
  };
  const from = sql`from ${devices}, ${bags}
    inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
    where ${devices.id} = ${device} and ${bags.id} = ${bag} and ${when}`;
  return insertFrom(db, lock, row, from).onConflictDoUpdate({
    target: lock.deviceId,
    set: {
      planId: sql`excluded.plan_id`,
      journeyId: sql`excluded.journey_id`,
      baggageId: sql`excluded.baggage_id`,
      holderSub: principal.sub,
      lockedAt: now,
      endsAt: sql`excluded.ends_at`,
      lostAt: null,
      requestId,
      receipt: null,
    },
    setWhere: sql`${isOver} or (${isHolder(principal.sub)} and ${isOther})`,
  });
}

/** Whether this request wrote the lock as it stands: a condition over `device_ticket_locks`. */
const isWritten = (ctx: BearerContext, device: SQL<string>): SQL =>
  and(isLiveLockOf(ctx, device), eq(deviceTicketLocks.requestId, ctx.requestId)) as SQL;

/** Whether the tag is locked as the caller wants it: by the caller or their travel plan, with this bag. */
const attachedBy = (ctx: BearerContext, { device, baggageId }: Attempt): SQL =>
  exists(
    ctx.db
      .select({ deviceId: deviceTicketLocks.deviceId })
      .from(deviceTicketLocks)
      .where(
        and(
          isLiveLockOf(ctx, device),
          isHolder(ctx.principal.sub),
          eq(deviceTicketLocks.baggageId, baggageId),
        ),
      ),
  );

function verdictOn(ctx: BearerContext, { known, device, bag, isAllowed }: Attempt, isAttached: SQL): SQL {
  const lock = deviceTicketLocks;
  return sql`select case
      when not ${isAttached} and not (${isAllowed}) then 'too_many_requests'
      when not exists ${bag} then 'baggage_not_found'
      when ${known} is null then 'device_not_found'
      when ${isAttached} then 'ok' else 'device_locked' end as outcome,
    case when ${isAttached} then (
      select json_object('journeyId', ${lock.journeyId}, 'lockedAt', ${lock.lockedAt})
      from ${lock} where ${isLiveLockOf(ctx, device)}
    ) else '{}' end as facts`;
}
