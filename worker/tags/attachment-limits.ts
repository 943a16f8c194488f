import { and, eq, gt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { bags, deviceTicketLocks, guessCounters, journeys } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, type Keyed } from "../database/idempotency.ts";
import { type Budget, countGuess } from "../guards/counters.ts";
import { isEntitledToBag } from "./lock-rules.ts";

const HOUR = 3_600;

/** Neither staff nor development has limits. */
const isUnlimited = ({ settings, principal }: BearerContext) =>
  settings.environment === "development" || principal.staff;

/** What is to be attached: the bag if the caller may attach it, and its id. */
interface Wanted {
  readonly bag: SQLWrapper;
  readonly baggageId: number;
  readonly keyed: Keyed;
}

/**
 * How much one passenger may attach (rules §2): attachments per hour, claims per hour and network, and
 * requests for bags that do not exist per hour, so that nobody tries one baggage id after the other. A caller
 * over the last limit learns nothing of existing bags either. A request sent again under its key is not counted.
 * Statements, to go first in the batch of the attachment; {@link mayAttach} limits live locks.
 */
export const countAttachment = (ctx: BearerContext, wanted: Wanted) =>
  isUnlimited(ctx) ? undefined : countGuess(ctx, budgetsFor(ctx, wanted), isUnused(ctx, wanted.keyed));

/** Whether this request was counted: one over a cap is not. */
export const isCounted = (ctx: BearerContext): SQL =>
  isUnlimited(ctx)
    ? sql`true`
    : sql`exists (select 1 from ${guessCounters} where ${guessCounters.key} = ${attachmentsOf(ctx)}
        and ${guessCounters.requestId} = ${ctx.requestId})`;

const attachmentsOf = ({ principal }: BearerContext) => `attach:${principal.sub}`;

function budgetsFor(ctx: BearerContext, { bag, baggageId }: Wanted): readonly Budget[] {
  const { limits } = ctx.settings;
  const { sub } = ctx.principal;
  const budget = (key: string, cap: number, more: Partial<Budget> = {}): Budget => ({
    ...{ key, cap, windowSeconds: HOUR, ...more },
  });
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
  { device, baggageId }: { readonly device: SQL<string>; readonly baggageId: number },
): SQL {
  if (isUnlimited(ctx)) return sql`true`;
  const { now, principal, settings } = ctx;
  const { liveLocksPerSubject, liveClaimsPerSubject } = settings.limits;
  const { holderSub, endsAt, deviceId, entitled } = deviceTicketLocks;
  const others = and(eq(holderSub, principal.sub), gt(endsAt, now), ne(deviceId, device));
  const counted = (what: SQL) => sql`(select ${what} from ${deviceTicketLocks} where ${others})`;
  return sql`(case when ${isEntitledToBag(ctx, baggageId)}
    then ${counted(sql`coalesce(sum(${entitled}), 0)`)} < ${liveLocksPerSubject}
    else ${counted(sql`coalesce(sum(not ${entitled}), 0)`)} < ${liveClaimsPerSubject} end)`;
}

/**
 * The lock that goes where a booking has more entitled locks than its bags need: the oldest of the same
 * person, else the oldest unproven, else the oldest. A condition over `device_ticket_locks`.
 */
export function displaced(
  ctx: BearerContext,
  { device, isWritten }: { readonly device: SQL<string>; readonly isWritten: SQL },
): SQL {
  const { now, principal, settings } = ctx;
  const { deviceId, planId, entitled, endsAt, lockedAt, holderSub, commits } = deviceTicketLocks;
  const plan = sql`(select ${planId} from ${deviceTicketLocks} where ${isWritten} and ${entitled})`;
  const ofPlan = sql`${planId} = ${plan} and ${entitled} and ${endsAt} > ${now}`;
  const bagsOfPlan = sql`(select count(*) from ${bags}
    inner join ${journeys} on ${journeys.id} = ${bags.journeyId} where ${journeys.planId} = ${plan})`;
  const isOverfull = sql`(select count(*) from ${deviceTicketLocks} where ${ofPlan})
    > ${bagsOfPlan} * ${settings.limits.locksPerBag}`;
  return sql`${deviceId} in (select ${deviceId} from ${deviceTicketLocks}
    where ${ofPlan} and ${deviceId} <> ${device} and ${isOverfull}
    order by ${holderSub} = ${principal.sub} desc, ${commits} is null desc, ${lockedAt}, ${deviceId} limit 1)`;
}
