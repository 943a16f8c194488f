import { and, eq, gt, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { audited } from "../audit/log.ts";
import type { LoginContext, RequestContext } from "../context.ts";
import { inBatch, parameter, written } from "../database/batch.ts";
import { countGuess, giveBack } from "../guards/counters.ts";
import { budgetsOf, isRightAt } from "../guards/guess-budget.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { ofAirlines } from "./airlines.ts";

/**
 * Travel plans that a trusted host vouches for (claim `travel_plans`, rules §3). They are found by the same
 * secret as a custody proof: locator and surname. A pair that does not match is a wrong guess and passed over,
 * so that a stale one does not make a login fail.
 */
export interface ClaimedPlan {
  readonly recordLocator: string;
  readonly surname: string;
}

/** More bookings than one passenger has at once. */
const MAX_PLANS = 10;

/** The well-formed entries of the claim; none where there is no claim. */
export function claimedPlans({ travel_plans: claim }: JWTPayload): readonly ClaimedPlan[] {
  return Array.isArray(claim) ? claim.filter(isPlan).slice(0, MAX_PLANS) : [];
}

const isPlan = (entry: unknown): entry is ClaimedPlan =>
  typeof entry === "object" &&
  entry !== null &&
  isShortText((entry as { recordLocator?: unknown }).recordLocator) &&
  isShortText((entry as { surname?: unknown }).surname);

const isShortText = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" && value.length <= 128;

/** The result of a claim: the plans it found, the statements that return its right guesses, and an audit row for each
 * airline of a pair that matches bookings of several. */
export interface FoundPlans {
  readonly planIds: readonly string[];
  readonly counters: readonly ReturnType<typeof giveBack>[];
  readonly audits: readonly ReturnType<typeof audited>[];
}

const NOTHING: FoundPlans = { planIds: [], counters: [], audits: [] };

/**
 * Finds the plans that a verified claim of `sub` names, among bookings of the client's airlines. Each pair is
 * a guess like any other (rules §2); once the budget is spent, the whole claim is passed over, right or wrong.
 * A pair that matches bookings of several airlines is a right guess and finds none. One D1 call, none for an empty claim.
 */
export async function findPlans(
  ctx: LoginContext,
  sub: string,
  plans: readonly ClaimedPlan[],
): Promise<FoundPlans> {
  if (plans.length === 0) return NOTHING;
  const hashes = await Promise.all(plans.map(({ recordLocator }) => hashOf(ctx, recordLocator)));
  const guesser = { ...ctx, principal: { sub, evidence: "federated" } } as const;
  const { guess, candidates } = await inBatch(ctx.db, {
    candidates: readCandidates(ctx, hashes),
    guess: countGuess(ctx, budgetsOf(guesser, { locators: hashes })),
  });
  if (guess.spent.length > 0) return NOTHING;
  const found = await Promise.all(plans.map((plan) => plansOf(ctx, plan, candidates)));
  const right = hashes.filter((_, i) => found[i]?.length);
  const [ambiguous, clear] = [found.filter(isOfSeveral), found.filter((plans) => !isOfSeveral(plans))];
  return {
    planIds: [...new Set(clear.flat().map(({ planId }) => planId))],
    audits: [...airlinesOf(ambiguous.flat())].map((airline) =>
      audited(ctx, { event: "travel_plan_ambiguous", sub, clientId: ctx.client.id, airline }),
    ),
    counters: right.map((hash) => giveBack(ctx, guess.counted.filter(isRightAt(hash)))),
  };
}

const airlinesOf = (plans: readonly Candidate[]) => new Set(plans.map(({ airline }) => airline));

const isOfSeveral = (plans: readonly Candidate[]) => airlinesOf(plans).size > 1;

const readCandidates = ({ db, now, client }: LoginContext, hashes: readonly string[]) =>
  db
    .select({
      planId: travelPlans.id,
      airline: travelPlans.airline,
      locatorHash: travelPlans.locatorHash,
      surnameTokens: journeys.surnameTokens,
    })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .where(
      and(
        inArray(travelPlans.locatorHash, [...hashes]),
        gt(travelPlans.endsAt, now),
        ofAirlines(client.airlines),
      ),
    );

type Candidate = Awaited<ReturnType<typeof readCandidates>>[number];

const hashOf = ({ settings }: RequestContext, locator: string) => locatorHash(settings.pepperKey, locator);

/** The candidates for whom both locator and surname match. */
async function plansOf(
  ctx: RequestContext,
  { recordLocator, surname }: ClaimedPlan,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const hash = await hashOf(ctx, recordLocator);
  const presented = await presentedTokens(
    ctx.settings.pepperKey,
    foldLocator(recordLocator),
    surname,
    ctx.now,
  );
  return candidates
    .filter(({ locatorHash: located }) => located === hash)
    .filter(({ surnameTokens }) => surnamesMatch(fromBase64Url(surnameTokens), presented));
}

/** Makes the plan `planId` the own of `sub` where `may` holds, if there is such a plan. */
export const loadingPlan = (may: SQL) =>
  written<never>(sql`insert into ${loadedPlans} (sub, plan_id, loaded_at)
    select ${parameter("sub")}, ${travelPlans.id}, ${parameter("now")} from ${travelPlans}
    where ${travelPlans.id} = ${parameter("planId")} and ${may}
    on conflict (sub, plan_id) do update set delegation_id = null where delegation_id is not null`);

/** A delegate who proves knowledge of the booking keeps it when the delegation ends. */
const BY_KNOWLEDGE = {
  target: [loadedPlans.sub, loadedPlans.planId],
  set: { delegationId: null },
  setWhere: isNotNull(loadedPlans.delegationId),
};

/** Makes `planIds` the caller's own. */
export const loadPlans = ({ db, now }: RequestContext, sub: string, planIds: readonly string[]) =>
  planIds.map((planId) =>
    db.insert(loadedPlans).values({ sub, planId, loadedAt: now }).onConflictDoUpdate(BY_KNOWLEDGE),
  );
