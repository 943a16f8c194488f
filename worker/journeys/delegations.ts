import { and, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type {
  Delegation,
  DelegationClaimRequest,
  DelegationClaimResponse,
  DelegationCode,
  DelegationDecisionRequest,
  DelegationDecisionResponse,
  DelegationListResponse,
  DelegationRequest,
} from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { delegations, journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { type AuditedEvent, audited, byCaller } from "../audit/log.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { isWithin, raise, readSpent, requireWithin } from "../guards/counters.ts";
import { codeBudgets } from "../guards/guess-budget.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { loadedBy } from "./own-journeys.ts";

/**
 * Another person's phone that writes tags for a booking (rules §5, "Delegates"): a code, used once; three digits, which
 * both see and confirm; and a row of `loaded_plans` that names the delegation. Each call is one batch.
 */

const CODE_BYTES = 16;
const ID_BYTES = 12;
const table = delegations;

/** Not past its ten minutes, nor its booking its end. */
const isLive = ({ now }: RequestContext): SQL =>
  and(or(isNull(table.endsAt), gt(table.endsAt, now)), isLivePlan(now)) as SQL;

const isLivePlan = (now: number): SQL =>
  sql`exists (select 1 from ${travelPlans} where ${travelPlans.id} = ${table.planId} and ${travelPlans.endsAt} > ${now})`;

/** Whether the caller knows the booking of the delegation themselves. */
const isOfOwnPlan = ({ principal }: BearerContext): SQL =>
  sql`${table.planId} in (select ${loadedPlans.planId} from ${loadedPlans}
    where ${loadedPlans.sub} = ${principal.sub} and ${loadedPlans.delegationId} is null)`;

/** Staff act for an airline, by rights of their own: they neither delegate nor accept delegations. */
function refuseStaff({ principal }: BearerContext): void {
  if (principal.staff) throw new ApiError("insufficient_scope", { reason: "staff" });
}

/**
 * Makes a code for a booking that the caller has loaded, in the place of one that still waits. Throws
 * `insufficient_scope` (staff), `journey_not_found` (also for a delegate), `too_many_requests`.
 */
export async function makeCode(
  ctx: BearerContext,
  { journeyId }: DelegationRequest,
): Promise<DelegationCode> {
  refuseStaff(ctx);
  const { db, now, principal, settings } = ctx;
  const code = toBase64Url(ctx.random(CODE_BYTES));
  const id = toBase64Url(ctx.random(ID_BYTES));
  const endsAt = now + settings.limits.delegationCodeSeconds * 1_000;
  const from = sql`from ${journeys} inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
    where ${journeys.id} = ${journeyId} and ${travelPlans.endsAt} > ${now} and ${loadedBy(ctx, "own")}`;
  const inUse = sql`(select count(*) from ${table} where ${table.planId} = ${travelPlans.id} and ${isLive(ctx)})`;
  const row = {
    id,
    planId: travelPlans.id,
    holderSub: principal.sub,
    codeHash: await sha256Text(code),
    endsAt,
  };
  const { made, own } = await inBatch(db, {
    earlier: db
      .delete(table)
      .where(
        and(
          eq(table.holderSub, principal.sub),
          isNotNull(table.endsAt),
          sql`${table.planId} = (select ${journeys.planId} from ${journeys} where ${journeys.id} = ${journeyId})`,
        ),
      ),
    made: insertFrom(
      db,
      table,
      { ...row, holderConfirmed: false, delegateConfirmed: false },
      sql`${from} and ${inUse} < ${settings.limits.delegationsPerBooking}`,
    ).returning({ id: table.id }),
    own: db
      .select({ journeyId: sql<string>`found.id`.as("found_id") })
      .from(sql`(select ${journeys.id} ${from}) as found`),
  });
  if (own.length === 0) throw new ApiError("journey_not_found");
  if (made.length === 0) {
    const headers = { "Retry-After": String(settings.limits.delegationCodeSeconds) };
    throw new ApiError("too_many_requests", { headers, reason: "delegations of the booking" });
  }
  return { delegationId: id, code, expiresAt: new Date(endsAt).toISOString() };
}

/**
 * Binds a code to the caller, who may send it again. A second phone ends it for both. Every fault of a code has the same
 * answer, and is counted by person. Throws `insufficient_scope` (staff),
 * `too_many_attempts`, `delegation_ended`.
 */
export async function claimCode(
  ctx: BearerContext,
  { code }: DelegationClaimRequest,
): Promise<DelegationClaimResponse> {
  refuseStaff(ctx);
  const { db, principal } = ctx;
  const budgets = codeBudgets(ctx);
  const isCode = and(eq(table.codeHash, await sha256Text(code)), isLive(ctx), isWithin(ctx, budgets));
  const isOfOther = sql`${table.holderSub} <> ${principal.sub}`;
  const isRaced = and(isCode, isOfOther, sql`${table.delegateSub} <> ${principal.sub}`) as SQL;
  const isUsed = and(isCode, eq(table.delegateSub, principal.sub)) as SQL;
  const { spent, taken } = await inBatch(db, {
    spent: readSpent(ctx, budgets),
    audit: auditDelegation(ctx, "delegation_raced", isRaced),
    raced: db.delete(table).where(isRaced),
    take: db
      .update(table)
      .set({ delegateSub: principal.sub, comparison: drawnDigits(ctx) })
      .where(and(isCode, isOfOther, isNull(table.delegateSub))),
    taken: db.select({ id: table.id, comparison: table.comparison }).from(table).where(isUsed),
    count: raise(ctx, budgets, sql`not exists (select 1 from ${table} where ${isUsed})`),
  });
  requireWithin(ctx, { spent });
  const [mine] = taken;
  if (mine === undefined) throw new ApiError("delegation_ended");
  return { delegationId: mine.id, comparison: digits(mine.comparison) };
}

/** A number below 1,000, each as likely as any other: what lies over the last whole thousand is drawn again. */
export function drawnDigits({ random }: Pick<RequestContext, "random">): number {
  const [high = 0, low = 0] = random(2);
  const drawn = high * 256 + low;
  return drawn < 65_000 ? drawn % 1_000 : drawnDigits({ random });
}

const digits = (comparison: number | null) => String(comparison ?? 0).padStart(3, "0");

/** Confirms the digits, or ends a delegation. Throws `insufficient_scope` (staff), `delegation_ended`. */
export async function decide(
  ctx: BearerContext,
  { delegationId, confirmed }: DelegationDecisionRequest,
): Promise<DelegationDecisionResponse> {
  refuseStaff(ctx);
  const state = confirmed ? await confirm(ctx, delegationId) : await end(ctx, delegationId);
  return { delegationId, state };
}

/** The second confirmation makes it active; it replaces the delegate's earlier one for this booking. */
async function confirm(ctx: BearerContext, id: string): Promise<"claimed" | "active"> {
  const { db, now, principal } = ctx;
  const isHolder = eq(table.holderSub, principal.sub);
  const isDelegate = eq(table.delegateSub, principal.sub);
  const which = and(eq(table.id, id), isLive(ctx), isNotNull(table.delegateSub), or(isHolder, isDelegate));
  // The code is there as long as this has not happened.
  const isAgreed = and(
    which,
    table.holderConfirmed,
    table.delegateConfirmed,
    isNotNull(table.codeHash),
  ) as SQL;
  // Only where this makes it active: confirming an active one again must not end another.
  const earlier = sql`${table.id} <> ${id} and (${table.planId}, ${table.delegateSub}) =
    (select agreed.plan_id, agreed.delegate_sub from ${table} as agreed where agreed.id = ${id}
      and agreed.holder_confirmed and agreed.delegate_confirmed and agreed.code_hash is not null)`;
  const { left } = await inBatch(db, {
    mine: db
      .update(table)
      .set({
        holderConfirmed: sql`${table.holderConfirmed} or ${isHolder}`,
        delegateConfirmed: sql`${table.delegateConfirmed} or ${isDelegate}`,
      })
      .where(which),
    loaded: insertFrom(
      db,
      loadedPlans,
      { sub: table.delegateSub, planId: table.planId, loadedAt: now, delegationId: table.id },
      sql`from ${table} where ${isAgreed}`,
    ).onConflictDoUpdate({
      target: [loadedPlans.sub, loadedPlans.planId],
      set: { delegationId: id },
      // A caller who knows the booking keeps their own right to it.
      setWhere: isNotNull(loadedPlans.delegationId),
    }),
    earlier: db.delete(table).where(earlier),
    audit: auditDelegation(ctx, "delegate_added", isAgreed),
    active: db.update(table).set({ codeHash: null, endsAt: null }).where(isAgreed),
    left: db.select({ endsAt: table.endsAt }).from(table).where(which),
  });
  const [found] = left;
  if (found === undefined) throw new ApiError("delegation_ended");
  return found.endsAt === null ? "active" : "claimed";
}

/** By the delegate, or a caller who has loaded the booking. The delegate's access ends; tags written stay as they are. */
async function end(ctx: BearerContext, id: string): Promise<"ended"> {
  const { db, principal } = ctx;
  const which = and(eq(table.id, id), or(eq(table.delegateSub, principal.sub), isOfOwnPlan(ctx))) as SQL;
  const { deleted } = await inBatch(db, {
    audit: auditDelegation(ctx, "delegate_removed", and(which, isNull(table.endsAt)) as SQL),
    taken: db.delete(loadedPlans).where(
      and(
        eq(loadedPlans.delegationId, id),
        sql`(${loadedPlans.sub}, ${loadedPlans.planId}) in
          (select ${table.delegateSub}, ${table.planId} from ${table} where ${which})`,
      ),
    ),
    deleted: db.delete(table).where(which).returning({ id: table.id }),
  });
  if (deleted.length === 0) throw new ApiError("delegation_ended");
  return "ended";
}

/** A row for the airline of the booking, in the batch of the change. */
const auditDelegation = (ctx: BearerContext, event: AuditedEvent, which: SQL) =>
  audited(
    ctx,
    { event, ...byCaller(ctx), airline: travelPlans.airline },
    sql`from ${table} inner join ${travelPlans} on ${travelPlans.id} = ${table.planId} where ${which}`,
  );

/** The delegations of the caller's bookings, and those to the caller. */
export async function ownDelegations(ctx: BearerContext): Promise<DelegationListResponse> {
  const { sub } = ctx.principal;
  const journeyIds = sql<string>`(select json_group_array(${journeys.id}) from ${journeys}
    where ${journeys.planId} = ${table.planId})`;
  const { rows } = await inBatch(ctx.db, {
    rows: ctx.db
      .select({ row: table, journeyIds: journeyIds.as("journey_ids") })
      .from(table)
      // With a second table, drizzle writes the names of columns in full, also within the list of journeys.
      .innerJoin(travelPlans, eq(travelPlans.id, table.planId))
      .where(and(or(eq(table.delegateSub, sub), isOfOwnPlan(ctx)), isLive(ctx)))
      .orderBy(table.id),
  });
  return { delegations: rows.map(({ row, journeyIds: ids }) => viewDelegation(sub, row, ids)) };
}

function viewDelegation(sub: string, row: typeof table.$inferSelect, journeyIds: string): Delegation {
  const { id, delegateSub, comparison, endsAt } = row;
  const isDelegate = delegateSub === sub;
  const isHolderOrDelegate = isDelegate || row.holderSub === sub;
  const state = endsAt === null ? "active" : delegateSub === null ? "open" : "claimed";
  return {
    delegationId: id,
    state,
    role: isDelegate ? "delegate" : "holder",
    confirmed: isDelegate ? row.delegateConfirmed : isHolderOrDelegate && row.holderConfirmed,
    ...(isHolderOrDelegate && state === "claimed" && { comparison: digits(comparison) }),
    ...(endsAt !== null && { expiresAt: new Date(endsAt).toISOString() }),
    // Before both have confirmed, a code discloses nothing of its booking.
    journeyIds: isDelegate && state !== "active" ? [] : (JSON.parse(journeyIds) as string[]),
  };
}
