import { and, eq, gt } from "drizzle-orm";
import type { JourneyFromRecordLocatorRequest, JourneyWithCompanions } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { nobodysTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { locatorHash } from "../../db/lookup-keys.ts";
import { journeys, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { type Counted, countGuess, giveBack, requireWithin } from "../guards/counters.ts";
import { budgetsOf } from "../guards/guess-budget.ts";
import { ofAirlines } from "./airlines.ts";
import { loadPlans } from "./claimed-plans.ts";
import { readJourneys, viewJourneys } from "./view.ts";

/** Fewer surnames than this are padded with nobody's, so that a miss costs what a small booking costs. */
const COMPARISONS = 9;
const NOBODY = toBase64Url(nobodysTokens());

/**
 * Finds a booking that is not yet past by record locator and surname, and makes its plan the caller's own.
 * That makes the caller a holder of the locks on it (rules §4, §5). Staff see it without becoming holders.
 *
 * A wrong locator and a wrong surname give the same answer after the same work. Throws `too_many_attempts`,
 * `journey_not_found`.
 */
export async function loadJourney(
  ctx: BearerContext,
  { recordLocator, surname }: JourneyFromRecordLocatorRequest,
): Promise<JourneyWithCompanions> {
  const { db, settings } = ctx;
  const locator = await locatorHash(settings.pepperKey, recordLocator);
  const budgets = budgetsOf(ctx, { locators: [locator] });
  const { candidates, guess } = await inBatch(db, {
    candidates: bookingsOf(ctx, locator),
    guess: countGuess(ctx, budgets),
  });
  requireWithin(ctx, guess);

  const presented = await presentedTokens(settings.pepperKey, foldLocator(recordLocator), surname);
  return openBooking(ctx, namesakes(candidates, presented)[0], guess.counted);
}

/**
 * The journey that was found, with its companions. It is the caller's from now on, and the guess is given
 * back to the counters in `counted`. Throws `journey_not_found` where nothing was found.
 */
export async function openBooking(
  ctx: BearerContext,
  found: Pick<Candidate, "id" | "planId"> | undefined,
  counted: readonly Counted[],
): Promise<JourneyWithCompanions> {
  const { db, principal } = ctx;
  if (found === undefined) throw new ApiError("journey_not_found");
  const { read } = await inBatch(db, {
    read: readJourneys(ctx, eq(travelPlans.id, found.planId)),
    load: principal.staff ? undefined : loadPlans(ctx, principal.sub, [found.planId]),
    counters: giveBack(ctx, counted),
  });
  const booking = await viewJourneys(ctx, read);
  const journey = booking.find(({ journeyId }) => journeyId === found.id);
  if (journey === undefined) throw new ApiError("journey_not_found");
  const companions = booking.filter((other) => other !== journey);
  return companions.length === 0 ? journey : { ...journey, companions };
}

/** Every passenger under a locator, the next flight first; for staff only within their airlines. */
const bookingsOf = ({ db, now, principal }: BearerContext, locator: string) =>
  db
    .select({ id: journeys.id, planId: journeys.planId, surnameTokens: journeys.surnameTokens })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .where(
      and(
        eq(travelPlans.locatorHash, locator),
        gt(travelPlans.endsAt, now),
        principal.staff ? ofAirlines(principal.airlines) : undefined,
      ),
    )
    .orderBy(travelPlans.firstFlightDate, travelPlans.endsAt, journeys.id);

/** A passenger who may be the one sought. */
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
  const padding = Array<string>(Math.max(0, COMPARISONS - candidates.length)).fill(NOBODY);
  const stored = [...candidates.map(({ surnameTokens }) => surnameTokens), ...padding];
  const matches = stored.map((tokens) => surnamesMatch(fromBase64Url(tokens), presented));
  return candidates.filter((_, i) => matches[i]);
}
