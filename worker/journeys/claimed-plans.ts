import { and, eq, gt, inArray } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { locatorHash } from "../../db/lookup-keys.ts";
import { journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";

/**
 * Travel plans that a trusted host vouches for (claim `travel_plans`, rules §3). They are found by the same
 * secret as a custody proof: locator and surname. A plan that does not match is skipped, so that a stale one
 * does not make a login fail.
 */
export interface ClaimedPlan {
  readonly recordLocator: string;
  readonly surname: string;
}

/** More than anybody travels with at once. */
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

/** The keys by which the bookings of `plans` are found. */
export const locatorHashes = (ctx: RequestContext, plans: readonly ClaimedPlan[]) =>
  Promise.all(plans.map(({ recordLocator }) => hashOf(ctx, recordLocator)));

/**
 * Reads the journeys that the plans may mean: a statement, not yet run. It reveals nothing of surnames and is
 * safe to run before the claim is verified.
 */
export const readCandidates = ({ db, now }: RequestContext, hashes: readonly string[]) =>
  db
    .select({
      planId: travelPlans.id,
      locatorHash: travelPlans.locatorHash,
      surnameTokens: journeys.surnameTokens,
    })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .where(and(inArray(travelPlans.locatorHash, [...hashes]), gt(travelPlans.endsAt, now)));

type Candidate = Awaited<ReturnType<typeof readCandidates>>[number];

const hashOf = ({ settings }: RequestContext, locator: string) => locatorHash(settings.pepperKey, locator);

/** Ids of the plans for which both locator and surname match the claim. */
export async function matchingPlans(
  ctx: RequestContext,
  plans: readonly ClaimedPlan[],
  candidates: readonly Candidate[],
): Promise<readonly string[]> {
  const found = await Promise.all(plans.map((plan) => plansOf(ctx, plan, candidates)));
  return [...new Set(found.flat())];
}

async function plansOf(
  ctx: RequestContext,
  { recordLocator, surname }: ClaimedPlan,
  candidates: readonly Candidate[],
): Promise<readonly string[]> {
  const hash = await hashOf(ctx, recordLocator);
  const presented = await presentedTokens(ctx.settings.pepperKey, foldLocator(recordLocator), surname);
  return candidates
    .filter(({ locatorHash: located }) => located === hash)
    .filter(({ surnameTokens }) => surnamesMatch(fromBase64Url(surnameTokens), presented))
    .map(({ planId }) => planId);
}

/** Makes `planIds` the caller's own. */
export const loadPlans = ({ db, now }: RequestContext, sub: string, planIds: readonly string[]) =>
  planIds.map((planId) =>
    db.insert(loadedPlans).values({ sub, planId, loadedAt: now }).onConflictDoNothing(),
  );
