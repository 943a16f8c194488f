import { eq, type SQL, sql } from "drizzle-orm";
import { guessCounters } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { deviceKey, knownDeviceId } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";

/**
 * The one budget for guessing at bookings (rules §2): custody proofs and journey look-ups draw on the same
 * counters. These are raised before anything is compared, and alike for what exists and what does not.
 * Callers that proved no more than a key (`none`) have counters of their own, so their guessing never blocks
 * anybody else.
 */

/** One counter: its key, how many guesses it allows, and for how long. */
export interface Budget {
  readonly key: SQL;
  readonly cap: number;
  readonly windowSeconds: number;
  /** Belongs to the tag itself: removed with the tag's lock. */
  readonly ofDevice?: boolean;
  /** What this attempt costs; a guess at one locator costs 1. */
  readonly cost?: SQL<number>;
}

/**
 * What is guessed at; `locators` are hashes. A boarding pass may have a locator per leg. Each different one
 * counts as one guess; otherwise a pass with nine legs would be nine guesses for the price of one.
 */
export interface Guess {
  readonly uniqueDeviceId?: string;
  readonly locators: readonly string[];
}

const HOUR = 3_600;

/** The counters that a guess of this caller draws on. */
export function budgetsOf(ctx: BearerContext, { uniqueDeviceId, locators }: Guess): readonly Budget[] {
  const { settings, principal, client, network } = ctx;
  const { limits } = settings;
  const isStranger = principal.evidence === "none";
  const group = isStranger ? "none" : "proven";
  const budget = (key: SQL, cap: number, windowSeconds: number, ofDevice = false): Budget => ({
    key,
    cap,
    windowSeconds,
    ofDevice,
  });
  const guessed = [...new Set(locators)];
  const shared = (key: SQL, cap: number) => ({
    ...budget(key, cap, HOUR),
    cost: sql<number>`${guessed.length}`,
  });
  const deviceCap = isStranger ? limits.guessesPerDeviceNone : limits.guessesPerDevice;
  const locatorCap = isStranger ? limits.guessesPerLocatorNone : limits.guessesPerLocator;
  const always = [
    ...(uniqueDeviceId === undefined
      ? []
      : [budget(deviceCounter(group, uniqueDeviceId), deviceCap, limits.guessWindowSeconds, true)]),
    ...guessed.map((locator) =>
      budget(sql`${`locator:${group}:${locator}`}`, locatorCap, limits.guessWindowSeconds),
    ),
  ];
  if (settings.environment === "development") return always;
  const subjectCap = principal.staff ? limits.guessesPerStaffPerHour : limits.guessesPerSubjectPerHour;
  const networkCap = isStranger ? limits.guessesPerNetworkNonePerHour : limits.guessesPerNetworkPerHour;
  return [
    ...always,
    shared(sql`${`sub:${principal.sub}`}`, subjectCap),
    ...(principal.staff ? [] : [shared(sql`${`network:${group}:${network}`}`, networkCap)]),
    ...(isStranger ? [shared(sql`${`client:none:${client.id}`}`, limits.guessesPerClientNonePerHour)] : []),
  ];
}

/** A tag's counter, whichever of its names was used; an unknown tag has one, too. */
const deviceCounter = (group: "none" | "proven", uniqueDeviceId: string) =>
  sql`${`device:${group}:`} || coalesce(${knownDeviceId(uniqueDeviceId)}, ${deviceKey(uniqueDeviceId)})`;

/**
 * Raises every counter, atomically: a statement each, to go first in the batch that reads what is guessed at.
 * A counter stops one over its cap, so that refused guesses do not add up. Where `isGuess` does not hold,
 * nothing is added: taking a guess back later would lower a full counter that never counted it.
 */
export function countGuess(
  { db, now, requestId }: BearerContext,
  budgets: readonly Budget[],
  isGuess: SQL = sql`true`,
) {
  const isOver = sql`${guessCounters.endsAt} <= ${now}`;
  return budgets.map(({ key, cap, windowSeconds, cost: price = sql`1` }) => {
    const cost = sql<number>`${price} * (${isGuess})`;
    const endsAt = now + windowSeconds * 1_000;
    return db
      .insert(guessCounters)
      .values({ key, count: cost, endsAt, requestId })
      .onConflictDoUpdate({
        target: guessCounters.key,
        set: {
          count: sql`case when ${isOver} then ${cost} else min(${guessCounters.count} + ${cost}, ${cap + 1}) end`,
          endsAt: sql`case when ${isOver} then ${endsAt} else ${guessCounters.endsAt} end`,
          requestId,
        },
      })
      .returning({ count: guessCounters.count, endsAt: guessCounters.endsAt });
  });
}

/** Throws `code` if a counter is over its cap; `answers` are those of {@link countGuess}, in its order. */
export function requireWithin(
  { now }: BearerContext,
  budgets: readonly Budget[],
  answers: readonly (readonly { readonly count: number; readonly endsAt: number }[])[],
  code: "too_many_attempts" | "too_many_requests" = "too_many_attempts",
): void {
  const waits = budgets.flatMap(({ cap }, i) => {
    const row = answers[i]?.[0];
    return row === undefined || row.count > cap ? [Math.ceil(((row?.endsAt ?? now) - now) / 1_000)] : [];
  });
  if (waits.length === 0) return;
  const headers = { "Retry-After": String(Math.max(1, ...waits)) };
  throw new ApiError(code, { headers });
}

/** Takes the guess back from every counter, after it proved right. */
export const giveBack = ({ db }: BearerContext, budgets: readonly Budget[]) =>
  budgets.map(({ key, cost = sql`1` }) =>
    db
      .update(guessCounters)
      .set({ count: sql`max(${guessCounters.count} - ${cost}, 0)` })
      .where(eq(guessCounters.key, key)),
  );

/** The keys of a known tag's counters. */
export const deviceCounterKeys = (deviceId: SQL | string): readonly SQL[] =>
  (["none", "proven"] as const).map((group) => sql`${`device:${group}:`} || ${deviceId}`);
