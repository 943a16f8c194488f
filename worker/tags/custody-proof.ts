import { sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { AuditedEvent, EbtCustodyProofRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { dummyTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import {
  auditLog,
  devices,
  guessCounters,
  journeys,
  deviceTicketLocks as lock,
  travelPlans,
} from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, parameter, Reading, snapshot, type Texts, written } from "../database/batch.ts";
import {
  completing,
  isFirst,
  type Keyed,
  keyValues,
  outcomeOf,
  type Replayable,
  replayOf,
} from "../database/idempotency.ts";
import { knownDevice, lookupKeys, rowsNamed } from "../devices/identity.ts";
import {
  type Budget,
  budgetValues,
  raising,
  readSpent,
  requireWithin,
  withinBudgets,
} from "../guards/counters.ts";
import { countingFailure } from "../guards/failed-proofs.ts";
import { budgetsOf, DEVICE_COUNTERS } from "../guards/guess-budget.ts";
import { readingFirst } from "../http/read-first.ts";
import type { Keyable } from "../http/route.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { pushEnd, takingEndpoints } from "../tracing/found-push.ts";
import { ofKey } from "./facts.ts";
import { spentCommits } from "./spent-numbers.ts";

/** Replaces the tokens of a lock that is not there, so that a miss costs what a wrong name costs. */
const DUMMY_TOKENS = toBase64Url(dummyTokens());
/** Replaces the id of the request that made it, with the same length. */
const NO_REQUEST = "0".repeat(16);

const [now, device, requestId] = [parameter("now"), parameter("device"), parameter("requestId")];
const names = [sql`${parameter("id")}`, sql`${parameter("hardware")}`] as const;

/** Always one row of lock, always the same size: a tag without one has the dummy tokens. */
const reading = new Reading({
  lock: snapshot(
    {
      device: sql<string>`coalesce(${lock.deviceId}, wanted.device_id)`,
      requestId: sql<string>`coalesce(${lock.requestId}, ${NO_REQUEST})`,
      surnameTokens: sql<string>`coalesce(nullif(${journeys.surnameTokens}, ''), ${DUMMY_TOKENS})`,
    },
    sql`from (select coalesce(${knownDevice(...names)}, ${parameter("id")}) as device_id) as wanted
      left join ${lock} on ${lock.deviceId} in ${rowsNamed(...names)} and ${lock.endsAt} > ${now}
      left join ${journeys} on ${journeys.id} = ${lock.journeyId} order by ${lock.lockedAt} desc limit 1`,
  ),
  ...ofKey,
});
/**
 * Removes a lock for a caller who knows the record locator and surname of its journey (endpoint 11, rules §5).
 *
 * Two D1 calls, whatever is true: the lock is read with the caller's authentication; then one batch, the same for a right
 * guess and a wrong one, counts it and decides. Wrong locator, wrong surname, no lock, no such tag and a right guess over
 * the budget give their answer after the same work: the same statements, the same hashes, the same comparisons. A request
 * sent again under its key gets its first answer and is no guess. Throws `too_many_attempts`, `custody_proof_invalid`,
 * `idempotency_key_reused`.
 */
export const proveCustody = readingFirst(
  prove,
  (ctx, { sub }, { uniqueDeviceId }: EbtCustodyProofRequest, { keyed }) => {
    const [id, hardware] = lookupKeys(uniqueDeviceId);
    return { texts: reading.read(ctx.db, { ...keyValues(ctx, sub, keyed), id, hardware }) };
  },
);

async function prove(
  ctx: BearerContext,
  { uniqueDeviceId, recordLocator, surname }: EbtCustodyProofRequest,
  { keyed }: Keyable,
): Promise<Replayable<EbtUnlockResponse>> {
  const { pepperKey } = ctx.settings;
  const { texts } = ctx.firstRead as { readonly texts: readonly Texts[] };
  const facts = reading.facts(texts[0] ?? {});
  const [compared] = facts.lock;
  const [earlier] = facts.earlier;
  const answer = { uniqueDeviceId, locked: false } as const;
  if (earlier !== undefined) return { answer, isReplay: replayOf(keyed, earlier).isReplay };
  if (compared === undefined) throw new TypeError("a tag without a row");

  const locator = await locatorHash(pepperKey, recordLocator);
  const presented = await presentedTokens(pepperKey, foldLocator(recordLocator), surname, ctx.now);
  const isRight = surnamesMatch(fromBase64Url(compared.surnameTokens), presented);
  const budgets = budgetsOf(ctx, { device: compared.device, locators: [locator] });
  const { audit, endpoints, spent, completed } = await inBatch(
    ctx.db,
    batchOf(ctx, keyed, { uniqueDeviceId, lock: compared, isRight, budgets }),
  );
  for (const { event } of audit) ctx.happened.add(event);
  // What was carried out before comes first: a replay is no guess.
  if (completed.decided.length + (completed.records?.length ?? 0) === 0) requireWithin(ctx, { spent });
  pushEnd(ctx, endpoints);
  return { answer, isReplay: outcomeOf(keyed, completed).isReplay };
}

interface Guess {
  readonly uniqueDeviceId: string;
  readonly lock: { readonly device: string; readonly requestId: string };
  readonly isRight: boolean;
  readonly budgets: readonly Budget[];
}

/** The one batch: a right guess costs nothing, and a wrong one removes nothing. */
function batchOf(ctx: BearerContext, keyed: Keyed, guess: Guess) {
  const { uniqueDeviceId, lock: compared, isRight: right, budgets } = guess;
  const { db, principal, client, settings } = ctx;
  const [id, hardware] = lookupKeys(uniqueDeviceId);
  const values = {
    ...keyValues(ctx, principal.sub, keyed),
    ...budgetValues(ctx, budgets),
    id,
    hardware,
    event: right ? "custody_proven" : "custody_proof_failed",
    clientId: client.id,
    device: compared.device,
    compared: compared.requestId,
    isRight: Number(right),
    noticeEndsAt: ctx.now + settings.limits.guessWindowSeconds * 1_000,
    notifiedBefore: ctx.now - settings.limits.claimSeconds * 1_000,
    kinds: JSON.stringify(DEVICE_COUNTERS),
  };
  return {
    spent: readSpent(ctx, budgets),
    audit: auditProof(db, values),
    endpoints: takeEndpoints(ctx, values),
    counters: forgetGuesses(db, values),
    ended: endOnDevice(db, values),
    lock: removeLock(db, values),
    notice: countFailure(db, values),
    counted: raiseCounters(db, values),
    completed: completeProof(ctx, keyed, values),
  };
}

const isRight = sql`${parameter("isRight")} = 1`;
/** Only the lock that was compared, no later one. */
const isCompared = sql`${lock.deviceId} = ${device} and ${lock.requestId} = ${parameter("compared")}`;

/**
 * A row whether the tag is locked, unlocked or unknown: for the airline of the lock, else for the operator alone. None for a
 * request that was carried out before, or over the budget; nor for a right guess at a lock that has ended since. What follows in the
 * batch happens where there is this row.
 */
const auditProof = written<{
  readonly event: AuditedEvent;
}>(sql`insert into ${auditLog} (at, event, request_id, sub, client_id, airline, device_id,
    journey_id, baggage_id, licence_plate, evidence)
  select ${now}, ${parameter("event")}, ${requestId}, ${parameter("sub")}, ${parameter("clientId")}, ${travelPlans.airline},
    ${device}, ${bagOfLock.journeyId}, ${bagOfLock.baggageId}, ${bagOfLock.licencePlate},
    case when ${lock.deviceId} is not null then ${bagOfLock.evidence} end
  from (select 1) left join (${locksWithBag}) on ${lock.deviceId} = ${device} and ${lock.endsAt} > ${now}
  where ${isFirst} and ${withinBudgets} and (not (${isRight}) or (${isCompared} and ${lock.deviceId} in ${rowsNamed(...names)}))
  returning ${auditLog.event} as "event"`);
/**
 * The newest row of the log is the batch's own: to find it costs the same, whatever was logged of the tag. What follows asks for
 * this row and not for `isRight`, at which SQLite would stop reading: over the budget, right and wrong must read alike.
 */
const isAuditedAs = (event: AuditedEvent) => sql`exists (select 1 from ${auditLog}
  where ${auditLog.id} = (select max(${auditLog.id}) from ${auditLog})
    and ${auditLog.requestId} = ${requestId} and ${auditLog.event} = ${sql.raw(`'${event}'`)})`;
const isProven = isAuditedAs("custody_proven");
const isRefused = isAuditedAs("custody_proof_failed");

/** What a proof does to the lock: as `endLock` of state.ts. */
const takeEndpoints = takingEndpoints(sql`${isCompared} and ${isProven}`);
const forgetGuesses = written<never>(sql`delete from ${guessCounters} where ${isProven}
  and ${guessCounters.key} in (select value || ${device} from json_each(${parameter("kinds")}))`);
const isNotified = sql`(${lock.entitled} or ${devices.endedAt} is null
  or ${devices.endedAt} <= ${parameter("notifiedBefore")})`;
const notified = (value: unknown, column: SQLiteColumn) =>
  sql`${sql.identifier(column.name)} = case when ${isNotified} then ${value} else ${column} end`;
const endOnDevice = written<never>(sql`update ${devices} set spent_commits = ${spentCommits},
    ${notified(lock.holderSub, devices.endedHolderSub)}, ${notified(lock.planId, devices.endedPlanId)},
    ${notified(sql`'proof'`, devices.endedReason)}, ${notified(now, devices.endedAt)},
    ${notified(lock.cti, devices.endedCti)}
  from (select * from ${lock} where ${isCompared}) as ${lock}
  where ${devices.id} = ${lock.deviceId} and ${isProven} and (${isNotified} or ${lock.commits} > ${devices.spentCommits})`);
const removeLock = written<never>(sql`delete from ${lock} where ${isCompared} and ${isProven}`);

/** What a refusal counts: for the holder's notice, and against the budget. */
const countFailure = countingFailure(isRefused);
const raiseCounters = raising(isRefused);

/** If another request was faster, the tag is no longer locked to that journey, and this proof has nothing to unlock. */
const completeProof =
  completing(sql`select case when ${isProven} then 'ok' else 'custody_proof_invalid' end as outcome,
  '{}' as facts where ${isProven} or ${isRefused} or ${withinBudgets}`);
