import { type SQL, sql } from "drizzle-orm";
import type { JourneyFromRecordLocatorRequest, JourneyWithCompanions } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { dummyTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { journeys, loadedPlans, travelPlans, usedOnce } from "../../db/schema.ts";
import type { Host } from "../acceptance/ask.ts";
import { readHosts, takeBookings } from "../acceptance/booking.ts";
import { requireUnusedProof } from "../auth/dpop.ts";
import type { BearerContext, Principal, RequestContext } from "../context.ts";
import { inBatch, parameter, type Values, written } from "../database/batch.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { ApiError } from "../errors.ts";
import {
  type Budget,
  budgetValues,
  countGuess,
  giveBack,
  isWithin,
  readSpent,
  requireWithin,
  withinBudgets,
} from "../guards/counters.ts";
import { budgetsOf, isRightAt, withoutRight } from "../guards/guess-budget.ts";
import { readingFirst } from "../http/read-first.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { namedAirline, ofTheirAirlines } from "./airlines.ts";
import { loadingPlan } from "./claimed-plans.ts";
import { viewWithPlaces } from "./places.ts";
import { recordStaffLoad } from "./staff-loads.ts";
import { readingJourneys } from "./view.ts";

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
export const loadJourney = readingFirst(
  load,
  async (ctx, { staff }, input: JourneyFromRecordLocatorRequest) =>
    // Staff's airlines are their session's.
    staff ? undefined : { rows: bookingsOf(ctx, await locatorOf(ctx, input), input.airline) },
);

async function load(
  ctx: BearerContext,
  input: JourneyFromRecordLocatorRequest,
): Promise<JourneyWithCompanions> {
  const { pepperKey } = ctx.settings;
  const { surname, airline } = input;
  const wanted = { recordLocator: foldLocator(input.recordLocator), surname };
  const locator = await locatorOf(ctx, input);
  return openFound(ctx, {
    read: async () => {
      const { rows } = await inBatch(ctx.db, { rows: bookingsOf(ctx, locator, airline, ctx.principal) });
      return rows;
    },
    async find(rows: readonly Booking[]) {
      const presented = await presentedTokens(pepperKey, wanted.recordLocator, surname, ctx.now);
      return namesakes(rows, presented).map((one) => ({ ...one, locatorHash: locator }));
    },
    budgets: budgetsOf(ctx, { locators: [locator] }),
    hosts: readHosts(ctx, airline),
    questionsFor: (hosts) => hosts.map((host) => ({ host, wanted })),
  });
}

const locatorOf = ({ settings }: RequestContext, { recordLocator }: JourneyFromRecordLocatorRequest) =>
  locatorHash(settings.pepperKey, recordLocator);

/** How a caller's guess is looked up, and where else it is asked for. */
interface Search<Row> {
  readonly read: () => PromiseLike<readonly Row[]>;
  readonly find: (rows: readonly Row[]) => Promise<readonly Found[]>;
  readonly budgets: readonly Budget[];
  /** Asked where nothing is found; undefined where none is. */
  readonly hosts: ReturnType<typeof readHosts>;
  readonly questionsFor: (hosts: readonly Host[]) => Parameters<typeof takeBookings>[1];
}

/**
 * Opens what a search finds, whose `rows` were read with the caller's authentication, except for staff. Where it finds nothing
 * and airlines have hosts to ask, the guess is counted, the hosts are asked, and it looks once more; whatever then fails, fails
 * when their time is over, so that an answer's time discloses nothing.
 */
export async function openFound<Row>(
  ctx: BearerContext,
  { read, find, budgets, hosts, questionsFor }: Search<Row>,
): Promise<JourneyWithCompanions> {
  const { rows } = (ctx.firstRead as { readonly rows: readonly Row[] } | undefined) ?? { rows: await read() };
  const found = await find(rows);
  // Before it matters whether anything was found: a spent budget must look alike.
  const asked = hosts && (await inBatch(ctx.db, { spent: readSpent(ctx, budgets), hosts }));
  if (asked) requireWithin(ctx, asked);
  const questions = found.length > 0 || !asked ? [] : questionsFor(asked.hosts);
  if (questions.length === 0) return openBooking(ctx, found, budgets);
  // A loaded booking leaves nothing here to guess under its locator, but perhaps at another airline's host.
  const counted = budgets.map(({ exempt: _, ...budget }) => budget);
  const values = { ...budgetValues(ctx, []), sub: ctx.principal.sub, planId: "" };
  const batch = { once: useProof(ctx, values), guess: countGuess(ctx, counted) };
  const { guess } = await inBatch(ctx.db, batch).catch(refuseReplay(ctx));
  requireWithin(ctx, guess);
  const patience = ctx.wait(ctx.settings.limits.acceptanceTimeoutMilliseconds + AFTER_ANSWER);
  try {
    const taken = (await takeBookings(ctx, questions)) ? await find(await read()) : [];
    const [first] = taken;
    if (first === undefined) throw new ApiError("journey_not_found");
    await inBatch(ctx.db, { back: giveBack(ctx, guess.counted.filter(isRightAt(first.locatorHash))) });
    const right = budgetsOf(ctx, { locators: [first.locatorHash] });
    return await openBooking({ ...ctx, proof: undefined }, taken, right);
  } catch (error) {
    await patience;
    throw error;
  }
}

/** Milliseconds for what follows an answer: one that comes late, or never, must look like one that came early. */
const AFTER_ANSWER = 250;

/** A passenger whom a guess has found. */
interface Found extends Pick<Candidate, "id" | "planId"> {
  readonly locatorHash: string;
  readonly airline: string;
}

/**
 * The first journey of `found`, with its companions; it is the caller's from now on. Each airline issues its own
 * locators: where `found` has bookings of several, the caller must name the airline, and none is opened. Wrong guesses are
 * counted in the batch that opens the booking. A right one that could not be counted whole is refused there as a wrong one is,
 * by the same statements; so are those beyond a cap of guesses that are compared at once. Throws `too_many_attempts`,
 * `journey_not_found`, `airline_required`.
 */
async function openBooking(
  ctx: BearerContext,
  found: readonly Found[],
  budgets: readonly Budget[],
): Promise<JourneyWithCompanions> {
  const { db, principal } = ctx;
  const [first] = found;
  const airlines = [...new Set(found.map(({ airline }) => airline))].toSorted();
  const wrong = first === undefined ? budgets : withoutRight(budgets, first.locatorHash);
  const planId = airlines.length > 1 ? "" : (first?.planId ?? "");
  const canOpen = principal.staff ? isWithin(ctx, budgets) : undefined;
  const values = { ...budgetValues(ctx, budgets), sub: principal.sub, planId };
  const { read, guess } = await inBatch(db, {
    once: useProof(ctx, values),
    load: canOpen ? recordStaffLoad(ctx, planId, canOpen) : loadPlan(db, values),
    // A booking over the cap is neither loaded nor read: not even the time discloses that the guess was right.
    read: canOpen ? readWhere(planId, canOpen)(ctx) : readOwn(ctx, { planId }),
    guess: countGuess(ctx, wrong),
  }).catch(refuseReplay(ctx));
  requireWithin(ctx, guess);
  if (airlines.length > 1) throw new ApiError("airline_required", { errors: airlines });
  const booking = await viewWithPlaces(ctx, read);
  const journey = booking.find(({ journeyId }) => journeyId === first?.id);
  if (journey === undefined) throw new ApiError("journey_not_found");
  const companions = booking.filter((other) => other !== journey);
  return companions.length === 0 ? journey : { ...journey, companions };
}

/** For a batch that failed: perhaps because the proof was used before. */
const refuseReplay = (ctx: BearerContext) => async (error: unknown) => {
  if (!isDatabaseUnavailable(error)) await requireUnusedProof(ctx);
  throw error;
};

const readOwn = readingJourneys(sql`${travelPlans.id} = ${parameter("planId")} and ${travelPlans.id} in (
  select ${loadedPlans.planId} from ${loadedPlans}
  where ${loadedPlans.sub} = ${parameter("sub")} and ${loadedPlans.delegationId} is null)`);

/** Staff's loads are few, and the caps in the condition are those of one request. */
const readWhere = (planId: string, canOpen: SQL) =>
  readingJourneys(sql`${travelPlans.id} = ${planId} and ${canOpen}`);

const loadPlan = loadingPlan(withinBudgets);

/** A proof counts once where a booking is loaded or a guess counted; what loads nothing new may be repeated. */
const useProof = ({ db, proof }: BearerContext, values: Values) =>
  proof && useOnce(db, { ...values, proofEndsAt: proof.once.endsAt, hash: proof.once.hash });
const useOnce = written<never>(sql`insert into ${usedOnce} (ends_at, hash)
  select ${parameter("proofEndsAt")}, ${parameter("hash")} where ${withinBudgets} and not exists (
    select 1 from ${loadedPlans} where ${loadedPlans.sub} = ${parameter("sub")}
      and ${loadedPlans.planId} = ${parameter("planId")} and ${loadedPlans.delegationId} is null)`);

/** Every passenger under a locator, the next flight first; for staff only within their airlines. */
const bookingsOf = (
  { db, now }: RequestContext,
  locator: string,
  airline: string | undefined,
  caller?: Pick<Principal, "staff" | "airlines">,
) =>
  readBookings(db, {
    now,
    locator,
    airline: airline === undefined ? null : namedAirline(airline),
    airlines: caller?.staff ? JSON.stringify(caller.airlines) : null,
  });

type Booking = Candidate & { readonly airline: string };
const readBookings = written<Booking>(sql`
  select ${journeys.id} as "id", ${journeys.planId} as "planId", ${travelPlans.airline} as "airline",
    ${journeys.surnameTokens} as "surnameTokens"
  from ${travelPlans} inner join ${journeys} on ${journeys.planId} = ${travelPlans.id}
  where ${travelPlans.locatorHash} = ${parameter("locator")} and ${travelPlans.endsAt} > ${parameter("now")}
    and (${parameter("airline")} is null or +${travelPlans.airline} = ${parameter("airline")})
    and (${parameter("airlines")} is null or ${ofTheirAirlines})
  order by ${travelPlans.firstFlightDate}, ${travelPlans.endsAt}, ${journeys.id}`);

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
