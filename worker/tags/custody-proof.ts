import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { EbtCustodyProofRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { dummyTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { auditLog, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import { audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import {
  complete,
  isRepeated,
  isUnused,
  type Keyed,
  outcomeOf,
  type Replayable,
  readEarlier,
  replayOf,
} from "../database/idempotency.ts";
import { deviceKey, knownDeviceId, rowsNamed } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { type Counted, countGuess, giveBack, requireWithin } from "../guards/counters.ts";
import { recordFailedProof } from "../guards/failed-proofs.ts";
import { budgetsOf } from "../guards/guess-budget.ts";
import type { Keyable } from "../http/route.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { pushEnd, takeEndpoints } from "./found-push.ts";
import { endProvenLocks, isLive, isLiveLockOf } from "./lock-conditions.ts";

/** Replaces the tokens of a lock that is not there, so that a miss costs what a wrong name costs. */
const DUMMY_TOKENS = toBase64Url(dummyTokens());
/** Replaces the id of the request that made it, with the same length. */
const NO_REQUEST = "0".repeat(16);

/**
 * Removes a lock for a caller who knows the record locator and surname of its journey (endpoint 11, rules §5).
 *
 * Wrong locator, wrong surname, no lock and no such tag give the same answer after the same work: the same
 * statements, the same hashes, the same comparisons. A request sent again under its key gets its first answer
 * and is no guess. Throws `too_many_attempts`, `custody_proof_invalid`, `idempotency_key_reused`.
 */
export async function proveCustody(
  ctx: BearerContext,
  { uniqueDeviceId, recordLocator, surname }: EbtCustodyProofRequest,
  { keyed }: Keyable,
): Promise<Replayable<EbtUnlockResponse>> {
  const { db, settings } = ctx;
  const locator = await locatorHash(settings.pepperKey, recordLocator);
  const budgets = budgetsOf(ctx, { uniqueDeviceId, locators: [locator] });
  const {
    locks: [lock],
    records = [],
    guess,
  } = await inBatch(db, {
    locks: lockOf(ctx, uniqueDeviceId),
    records: keyed && readEarlier(ctx, keyed),
    guess: countGuess(ctx, budgets, isUnused(ctx, keyed)),
  });
  const [earlier] = records;
  const answer = { uniqueDeviceId, locked: false } as const;
  if (earlier !== undefined) return { answer, isReplay: replayOf(keyed, earlier).isReplay };
  requireWithin(ctx, guess);

  const presented = await presentedTokens(settings.pepperKey, foldLocator(recordLocator), surname, ctx.now);
  if (lock === undefined) throw new TypeError("a tag without a row");
  const isRight = surnamesMatch(fromBase64Url(lock.surnameTokens), presented);
  if (!isRight) return refuse(ctx, lock.device, keyed, guess.counted);

  // Only the lock that was compared, no later one, and only for the first request with this key.
  const isCompared = eq(deviceTicketLocks.requestId, lock.requestId);
  const allowed = and(isLiveLockOf(ctx, uniqueDeviceId), isCompared, isUnused(ctx, keyed)) as SQL;
  const { endpoints, completed } = await inBatch(db, {
    endpoints: takeEndpoints(ctx, allowed),
    removal: endProvenLocks(ctx, allowed),
    counters: giveBack(ctx, guess.counted),
    completed: complete(ctx, keyed, wasRemoved(ctx, uniqueDeviceId)),
  });
  pushEnd(ctx, endpoints);
  const { isReplay } = outcomeOf(keyed, completed);
  return { answer, isReplay };
}

/** The one refusal: counted for the holder's notice, and recorded if the request has a key. */
async function refuse(
  ctx: BearerContext,
  device: string,
  keyed: Keyed,
  counted: readonly Counted[],
): Promise<never> {
  const decision = sql`select 'custody_proof_invalid' as outcome, '{}' as facts`;
  const { completed } = await inBatch(ctx.db, {
    notice: recordFailedProof(ctx, device, keyed),
    audit: auditFailedProof(ctx, device, keyed),
    // A replay that was counted before the first request was completed is no guess either.
    counters: keyed && giveBack(ctx, counted, isRepeated(ctx, keyed)),
    completed: complete(ctx, keyed, decision),
  });
  outcomeOf(keyed, completed);
  throw new ApiError("custody_proof_invalid");
}

/** A row whether the tag is locked, unlocked or unknown: for the airline of the lock, else for the operator alone. */
const auditFailedProof = (ctx: BearerContext, device: string, keyed: Keyed) =>
  audited(
    ctx,
    {
      event: "custody_proof_failed",
      ...byCaller(ctx),
      ...bagOfLock,
      airline: travelPlans.airline,
      deviceId: device,
      evidence: sql`case when ${deviceTicketLocks.deviceId} is not null then ${bagOfLock.evidence} end`,
    },
    sql`from (select 1) left join (${locksWithBag})
      on ${deviceTicketLocks.deviceId} = ${device} and ${isLive(ctx)} where ${isUnused(ctx, keyed)}`,
  );

/** If another request was faster, the tag is no longer locked to that journey, and this proof has nothing to unlock. */
const wasRemoved = ({ requestId }: BearerContext, uniqueDeviceId: string): SQL =>
  sql`select case when exists (
      select 1 from ${auditLog} where ${auditLog.deviceId} in ${rowsNamed(uniqueDeviceId)}
        and ${auditLog.requestId} = ${requestId}
    ) then 'ok' else 'custody_proof_invalid' end as outcome, '{}' as facts`;

/** Always one row, always the same size: a tag without a lock has the dummy tokens. */
const lockOf = (ctx: BearerContext, uniqueDeviceId: string) =>
  ctx.db
    .select({
      device: sql<string>`coalesce(${deviceTicketLocks.deviceId}, wanted.device_id)`.as("device"),
      requestId: sql<string>`coalesce(${deviceTicketLocks.requestId}, ${NO_REQUEST})`.as("lock_request_id"),
      surnameTokens: sql<string>`coalesce(nullif(${journeys.surnameTokens}, ''), ${DUMMY_TOKENS})`.as(
        "stored_tokens",
      ),
    })
    .from(
      sql`(select coalesce(${knownDeviceId(uniqueDeviceId)}, ${deviceKey(uniqueDeviceId)}) as device_id) as wanted`,
    )
    .leftJoin(deviceTicketLocks, isLiveLockOf(ctx, uniqueDeviceId))
    .leftJoin(journeys, eq(journeys.id, deviceTicketLocks.journeyId))
    .orderBy(desc(deviceTicketLocks.lockedAt))
    .limit(1);
