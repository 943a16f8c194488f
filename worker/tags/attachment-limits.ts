import { and, eq, gt, ne, type SQL, type SQLWrapper } from "drizzle-orm";
import { bags, deviceTicketLocks, guessCounters, journeys } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { type Budget, raise, readSpent, requireWithin } from "../guards/counters.ts";
import { attachesFor, isEntitledToBag } from "./lock-rules.ts";

const HOUR = 3_600;

/** Neither staff nor development has limits. */
const isUnlimited = ({ settings, principal }: BearerContext) =>
  settings.environment === "development" || principal.staff;

/** What is to be attached: the bag if the caller may attach it, and its id. */
interface Wanted {
  readonly bag: SQLWrapper;
  readonly baggageId: number;
}

/**
 * How much one passenger may attach (rules §2): attachments per hour, claims per hour and network, and
 * requests for bags that do not exist per hour, so that nobody tries one baggage id after the other. A caller
 * over the last limit learns nothing of existing bags either. {@link mayAttach} limits live locks.
 *
 * The first statement of the attachment's batch. The counter of the caller's attachments, which every attachment raises,
 * keeps what `judgement` comes to, beside the request's id: what follows asks that row ({@link isJudged}) instead
 * of judging again in every statement. A request sent again under its key, and one over a limit, is not counted, and so
 * not judged.
 */
export const countAttachment = (ctx: BearerContext, wanted: Wanted, judged: { isNew: SQL; judgement: SQL }) =>
  raise(ctx, budgetsFor(ctx, wanted), judged.isNew, sql`${ctx.requestId} || (${judged.judgement})`);

/**
 * Throws `too_many_requests` for a request that was not counted, with the time to wait. Returns where there is room again
 * meanwhile: the request's own verdict refuses it.
 */
export async function refuseUncounted(ctx: BearerContext, wanted: Wanted): Promise<void> {
  const { spent } = await inBatch(ctx.db, { spent: readSpent(ctx, budgetsFor(ctx, wanted)) });
  requireWithin(ctx, { spent }, "too_many_requests");
}

/** The row that says what the request was judged as, if that begins with `judgement`: what follows `from`. */
export const judgedAs = (ctx: BearerContext, judgement: string): SQL =>
  sql`${guessCounters} where ${guessCounters.key} = ${attachmentsOf(ctx)}
    and ${beginsWith(ctx, judgement)}`;

/** Whether this request was counted, and its judgement begins so. */
export const isJudged = (ctx: BearerContext, judgement: string): SQL =>
  sql`exists (select 1 from ${judgedAs(ctx, judgement)})`;

/** The same over the counter's row. From the beginning on: what follows names devices, as callers do. */
export const beginsWith = ({ requestId }: BearerContext, judgement: string): SQL =>
  sql`instr(${guessCounters.requestId}, ${requestId + judgement}) = 1`;

/** The devices that the judgement lists (JSON) behind such a beginning. */
export const listedIn = (ctx: BearerContext, judgement: string): SQL =>
  sql`(select listed.value from (select substr(${guessCounters.requestId}, instr(${guessCounters.requestId}, '[')) as list
    from ${judgedAs(ctx, judgement)}) as judged, json_each(judged.list) as listed)`;

/** What this request was judged as; null where it was not counted. */
export const judgementOf = (ctx: BearerContext): SQL<string | null> =>
  sql<
    string | null
  >`(select substr(${guessCounters.requestId}, ${ctx.requestId.length + 1}) from ${judgedAs(ctx, "")})`;

const attachmentsOf = ({ principal }: BearerContext) => `attach:${principal.sub}`;

function budgetsFor(ctx: BearerContext, { bag, baggageId }: Wanted): readonly Budget[] {
  const { limits } = ctx.settings;
  const { sub } = ctx.principal;
  const budget = (key: string, cap: number, more: Partial<Budget> = {}): Budget => ({
    ...{ key, cap, windowSeconds: HOUR, ...more },
  });
  if (isUnlimited(ctx)) return [budget(attachmentsOf(ctx), Number.MAX_SAFE_INTEGER)];
  // An entitled attachment is never refused because others of its network have claimed too much.
  const isNoClaim = sql`(not exists ${bag} or ${isEntitledToBag(ctx, baggageId)})`;
  return [
    budget(attachmentsOf(ctx), limits.attachmentsPerSubjectPerHour),
    budget(`unknown-bag:${sub}`, limits.unknownBaggagePerSubjectPerHour, { cost: sql`(not exists ${bag})` }),
    budget(`claim:${ctx.network}`, limits.claimsPerNetworkPerHour, { exempt: isNoClaim }),
  ];
}

/**
 * Whether the caller may hold `device` in addition to the tags they hold. It is a condition in the statement
 * that locks the tag, so that concurrent requests cannot exceed the limit. Claims have a lower one of their
 * own, and never stand in the way of an entitled attachment.
 */
export function mayAttach(
  ctx: BearerContext,
  attempt: { readonly device: SQL<string>; readonly isEntitled: SQL; readonly plan: SQL },
): SQL {
  const { device, isEntitled, plan } = attempt;
  if (isUnlimited(ctx)) return sql`true`;
  const { now, principal, settings } = ctx;
  const { liveLocksPerSubject, liveClaimsPerSubject } = settings.limits;
  const { holderSub, writerSub, endsAt, deviceId, entitled } = deviceTicketLocks;
  // A delegate's are the holder's, and count for whoever attached them: neither can use up what the other may have.
  const alike = and(
    sql`${holderSub} in (${principal.sub}, ${attachesFor(ctx, plan)})`,
    eq(writerSub, principal.sub),
    gt(endsAt, now),
    ne(deviceId, device),
    sql`${entitled} = ${isEntitled}`,
  );
  return sql`((select count(*) from ${deviceTicketLocks} where ${alike})
    < case when ${isEntitled} then ${liveLocksPerSubject} else ${liveClaimsPerSubject} end)`;
}

/** The booking of a bag. Under a name of its own, as statements around it have bags of theirs. */
export const planOf = (baggageId: number): SQL =>
  sql`(select ${journeys.planId} from ${journeys}
    inner join ${bags} as own on own.journey_id = ${journeys.id} where own.id = ${baggageId})`;

/**
 * The lock that goes where a booking gets more entitled locks than its bags need: the oldest of the same person, else the
 * oldest unproven, else the oldest; one that is called lost only where all are: its mark and story would go. A condition over `device_ticket_locks`, before `device` is locked to the bag.
 */
export function displaced(
  ctx: BearerContext,
  attempt: { readonly device: SQL<string>; readonly baggageId: number; readonly plan: SQL },
): SQL {
  const { device, baggageId, plan } = attempt;
  const { now, principal, settings } = ctx;
  const { deviceId, planId, entitled, endsAt, lockedAt, lostAt, holderSub, commits } = deviceTicketLocks;
  const lock = deviceTicketLocks;
  const others = sql`${planId} = ${plan} and ${entitled} and ${endsAt} > ${now} and ${deviceId} <> ${device}`;
  const bagsOfPlan = sql`(select count(*) from ${bags}
    inner join ${journeys} on ${journeys.id} = ${bags.journeyId} where ${journeys.planId} = ${plan})`;
  const isOverfull = sql`(select count(*) from ${lock} where ${others}) >= ${bagsOfPlan} * ${settings.limits.locksPerBag}`;
  const isThere = sql`exists (select 1 from ${lock} where ${deviceId} = ${device} and ${entitled}
    and ${lock.baggageId} = ${baggageId} and ${endsAt} > ${now})`;
  // Counted once: a group's booking has hundreds of locks, and the search below may see each.
  return sql`${deviceId} = (case when ${isOverfull} and not ${isThere} then (select ${deviceId} from ${lock} where ${others}
    order by ${lostAt} is not null, ${principal.sub} in (${holderSub}, ${lock.writerSub}) desc, ${commits} is null desc, ${lockedAt}, ${deviceId} limit 1) end)`;
}
