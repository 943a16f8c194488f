import { and, eq, gt, sql } from "drizzle-orm";
import type { JourneyFromRecordLocatorRequest, JourneyWithCompanions } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { dummyTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { journeys, loadedPlans, travelPlans, usedOnce } from "../../db/schema.ts";
import { requireUnusedProof } from "../auth/dpop.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/batch.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { ApiError } from "../errors.ts";
import { type Budget, countGuess, isWithin, readSpent, requireWithin } from "../guards/counters.ts";
import { budgetsOf, withoutRight } from "../guards/guess-budget.ts";
import { locatorHash } from "../secrets/lookup-keys.ts";
import { ofAirlines, ofNamed } from "./airlines.ts";
import { withCityNames } from "./city-names.ts";
import { loadPlan } from "./claimed-plans.ts";
import { loadedBy } from "./own-journeys.ts";
import { recordStaffLoad } from "./staff-loads.ts";
import { readJourneys, viewJourneys } from "./view.ts";

/** Fewer surnames than this are padded with dummies, so that a miss costs what a small booking costs. */
const COMPARISONS = 9;
const DUMMY_TOKENS = toBase64Url(dummyTokens());

/**
 * Finds a booking that is not yet past by record locator and surname, and makes its plan the caller's own.
 * That makes the caller a holder of the locks on it (rules §4, §5). Staff see it without becoming holders.
 *
 * A wrong locator and a wrong surname get the same answer after the same work. Throws `too_many_attempts`,
 * `journey_not_found`, `airline_required`.
 */
export async function loadJourney(
  ctx: BearerContext,
  { recordLocator, surname, airline }: JourneyFromRecordLocatorRequest,
): Promise<JourneyWithCompanions> {
  const { db, settings } = ctx;
  const locator = await locatorHash(settings.pepperKey, recordLocator);
  const budgets = budgetsOf(ctx, { locators: [locator] });
  const { candidates, spent } = await inBatch(db, {
    candidates: bookingsOf(ctx, locator, airline),
    spent: readSpent(ctx, budgets),
  });
  requireWithin(ctx, { spent });

  const presented = await presentedTokens(settings.pepperKey, foldLocator(recordLocator), surname, ctx.now);
  const found = namesakes(candidates, presented).map((one) => ({ ...one, locatorHash: locator }));
  return openBooking(ctx, found, budgets);
}

/** A passenger whom a guess has found. */
interface Found extends Pick<Candidate, "id" | "planId"> {
  readonly locatorHash: string;
  readonly airline: string;
}

/**
 * The first journey of `found`, with its companions; it is the caller's from now on. Each airline issues its own
 * locators: where `found` has bookings of several, the caller must name the airline, and none is opened. Wrong guesses are
 * counted in the batch that opens the booking: of guesses that are compared at once, those beyond a cap of `budgets` are refused
 * there, right or wrong, by the same statements. Throws `too_many_attempts`, `journey_not_found`, `airline_required`.
 */
export async function openBooking(
  ctx: BearerContext,
  found: readonly Found[],
  budgets: readonly Budget[],
): Promise<JourneyWithCompanions> {
  const { db, principal } = ctx;
  const [first] = found;
  const airlines = [...new Set(found.map(({ airline }) => airline))].toSorted();
  const wrong = first === undefined ? budgets : withoutRight(budgets, first.locatorHash);
  const planId = airlines.length > 1 ? "" : (first?.planId ?? "");
  const canOpen = isWithin(ctx, wrong);
  const { read, guess } = await inBatch(db, {
    once: useProof(ctx, planId),
    load: principal.staff
      ? recordStaffLoad(ctx, planId, canOpen)
      : loadPlan(ctx, principal.sub, planId, canOpen),
    // A booking over the cap is neither loaded nor read: not even the time discloses that the guess was right.
    read: readJourneys(
      ctx,
      and(eq(travelPlans.id, planId), principal.staff ? canOpen : loadedBy(ctx, "own")),
    ),
    guess: countGuess(ctx, wrong),
  }).catch(async (error: unknown) => {
    if (!isDatabaseUnavailable(error)) await requireUnusedProof(ctx);
    throw error;
  });
  requireWithin(ctx, guess);
  if (airlines.length > 1) throw new ApiError("airline_required", { errors: airlines });
  const booking = await withCityNames(ctx, await viewJourneys(ctx, read));
  const journey = booking.find(({ journeyId }) => journeyId === first?.id);
  if (journey === undefined) throw new ApiError("journey_not_found");
  const companions = booking.filter((other) => other !== journey);
  return companions.length === 0 ? journey : { ...journey, companions };
}

/** A proof counts once where a booking is loaded or a guess counted; what loads nothing new may be repeated. */
const useProof = ({ db, proof, principal }: BearerContext, planId: string) =>
  proof &&
  insertFrom(
    db,
    usedOnce,
    proof.once,
    sql`where not exists (select 1 from ${loadedPlans}
      where ${loadedPlans.sub} = ${principal.sub} and ${loadedPlans.planId} = ${planId}
        and ${loadedPlans.delegationId} is null)`,
  );

/** Every passenger under a locator, the next flight first; for staff only within their airlines. */
const bookingsOf = ({ db, now, principal }: BearerContext, locator: string, airline: string | undefined) =>
  db
    .select({
      id: journeys.id,
      planId: journeys.planId,
      airline: travelPlans.airline,
      surnameTokens: journeys.surnameTokens,
    })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .where(
      and(
        eq(travelPlans.locatorHash, locator),
        gt(travelPlans.endsAt, now),
        ofNamed(airline),
        principal.staff ? ofAirlines(principal.airlines) : undefined,
      ),
    )
    .orderBy(travelPlans.firstFlightDate, travelPlans.endsAt, journeys.id);

/** A passenger under the locator of a guess. */
export interface Candidate {
  readonly id: string;
  readonly planId: string;
  readonly surnameTokens: string;
}

/**
 * The `candidates` who have the presented surname, in their order; a miss costs what a small booking costs.
 */
export function namesakes<T extends Candidate>(
  candidates: readonly T[],
  presented: Uint8Array,
): readonly T[] {
  const padding = Array<string>(Math.max(0, COMPARISONS - candidates.length)).fill(DUMMY_TOKENS);
  const stored = [...candidates.map(({ surnameTokens }) => surnameTokens), ...padding];
  const matches = stored.map((tokens) => surnamesMatch(fromBase64Url(tokens), presented));
  return candidates.filter((_, i) => matches[i]);
}
