import { type SQL, sql } from "drizzle-orm";
import { deviceTicketLocks, guessCounters, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { parameter, type Values, written } from "../database/batch.ts";
import { ApiError } from "../errors.ts";

/** Counters in the database: each allows so much in a window that begins with its first use and never moves. */

/** Seconds. */
export const HOUR = 3_600;

/** One counter, and what the request draws on it. */
export interface Budget {
  readonly key: string;
  readonly cap: number;
  readonly windowSeconds: number;
  /** What the request costs; 1 where it is left out. */
  readonly cost?: number;
  /** What is drawn of that: less for a guess that was right, which must fit in all the same. */
  readonly drawn?: number;
  /** Where this holds, the request is not counted here and not refused. */
  readonly exempt?: {
    readonly where: keyof typeof EXEMPT;
    /** A device id or the hash of a locator. */
    readonly of: string;
    /** Whose guess it is. */
    readonly sub?: string;
  };
}

/** A counter that a request has raised, and the window it was raised in. */
export interface Counted {
  readonly key: string;
  readonly endsAt: number;
}

const lock = deviceTicketLocks;
/** Loaded by knowledge: a delegate has all of a booking left to guess. */
const isKnown = sql`${loadedPlans.sub} = asked.sub and ${loadedPlans.delegationId} is null`;
const isTraced = (now: unknown): SQL =>
  sql`exists (select 1 from ${lock} where ${lock.deviceId} = asked."of" and ${lock.entitled} and ${lock.endsAt} > ${now})`;

/** What exempts a request from a counter. */
const EXEMPT = {
  /** The caller has loaded the plan that the tag is locked to: nothing of it is left to guess. */
  hasLoadedLock: (now: unknown) =>
    sql`exists (select 1 from ${lock} inner join ${loadedPlans} on ${loadedPlans.planId} = ${lock.planId} and ${isKnown}
      where ${lock.deviceId} = asked."of" and ${lock.endsAt} > ${now})`,
  /**
   * The caller has loaded every plan under the locator that is not yet past. Several airlines may issue one locator: a
   * caller who has loaded one airline's booking has the others' left to guess.
   */
  hasLoadedLocator: (now: unknown) =>
    sql`coalesce((select min(${loadedPlans.planId} is not null) from ${travelPlans}
      left join ${loadedPlans} on ${loadedPlans.planId} = ${travelPlans.id} and ${isKnown}
      where ${travelPlans.locatorHash} = asked."of" and ${travelPlans.endsAt} > ${now}), false)`,
  /** A live, entitled lock is on the tag, or none is. */
  isTraced,
  isUntraced: (now: unknown) => sql`not ${isTraced(now)}`,
} as const satisfies Readonly<Record<string, (now: unknown) => SQL>>;

/**
 * One row per counter. A spent counter refuses free requests, too: otherwise a caller would learn that a
 * request is free.
 */
function drawnOn(budgets: unknown, now: unknown): SQL {
  const { key, count, endsAt } = guessCounters;
  const asked = sql`(select value ->> 0 as key, value ->> 1 as cost, value ->> 2 as cap, value ->> 3 as ends_at,
    value ->> 4 as drawn, value ->> 5 as "where", value ->> 6 as "of", value ->> 7 as sub from json_each(${budgets}))`;
  const isSpent = sql`coalesce(${count}, 0) + asked.cost > asked.cap`;
  const exempt = Object.entries(EXEMPT).map(
    ([name, where]) => sql`when ${sql.raw(`'${name}'`)} then ${where(now)}`,
  );
  return sql`(select asked.key, asked.drawn, asked.ends_at, coalesce(${endsAt}, asked.ends_at) as running_until,
      ${isSpent} as is_spent, max(${isSpent}) over () as any_spent
    from ${asked} as asked left join ${guessCounters} on ${key} = asked.key and ${endsAt} > ${now}
    where not case asked."where" ${sql.join(exempt, sql` `)} else false end)`;
}

/** The values of statements about counters. */
export const budgetValues = ({ now, requestId }: RequestContext, budgets: readonly Budget[]): Values => ({
  now,
  requestId,
  budgets: rowsOf(now, budgets),
});

const rowsOf = (now: number, budgets: readonly Budget[]) =>
  JSON.stringify(
    budgets.map(({ key, cap, windowSeconds, cost = 1, drawn = cost, exempt }) => {
      const endsAt = now + windowSeconds * 1_000;
      return [key, cost, cap, endsAt, drawn, exempt?.where ?? null, exempt?.of ?? null, exempt?.sub ?? null];
    }),
  );

const noneSpent = (drawn: SQL) => sql`not exists (select 1 from ${drawn} as drawn where drawn.is_spent)`;

/** Whether no counter would refuse; by {@link budgetValues}. */
export const withinBudgets = noneSpent(drawnOn(parameter("budgets"), parameter("now")));

/** The same for a statement that is composed for one request. */
export const isWithin = ({ now }: RequestContext, budgets: readonly Budget[]): SQL =>
  noneSpent(drawnOn(rowsOf(now, budgets), now));

/** Raises the counters of {@link budgetValues} where `isGuess` holds. */
export function raising(isGuess: SQL) {
  const { key, count, endsAt } = guessCounters;
  const isRunning = sql`${endsAt} > ${parameter("now")}`;
  return written<Counted>(sql`insert into ${guessCounters} (key, count, ends_at, request_id)
    select drawn.key, drawn.drawn, drawn.ends_at, ${parameter("requestId")}
    from ${drawnOn(parameter("budgets"), parameter("now"))} as drawn
    where ${isGuess} and drawn.drawn > 0 and not drawn.any_spent
    on conflict (key) do update set count = excluded.count + case when ${isRunning} then ${count} else 0 end,
      ends_at = case when ${isRunning} then ${endsAt} else excluded.ends_at end, request_id = excluded.request_id
    returning ${key} as "key", ${endsAt} as "endsAt"`);
}

const raiseAll = raising(sql`true`);
const selectSpent = written<{ readonly endsAt: number }>(sql`select drawn.running_until as "endsAt"
  from ${drawnOn(parameter("budgets"), parameter("now"))} as drawn where drawn.is_spent`);

/**
 * Raises every counter, or none if one of them is spent: two statements, to go first in the batch that reads
 * what is guessed at. A refused request adds nothing, so no caller can spend others' counters with refused
 * requests.
 */
export const countGuess = (ctx: RequestContext, budgets: readonly Budget[]) => ({
  spent: readSpent(ctx, budgets),
  counted: raiseAll(ctx.db, budgetValues(ctx, budgets)),
});

/** The second statement of {@link countGuess}, where `isGuess` holds. */
export const raise = (ctx: RequestContext, budgets: readonly Budget[], isGuess: SQL) =>
  raising(isGuess)(ctx.db, budgetValues(ctx, budgets));

/** The counters that would refuse, and until when: a statement that counts nothing. */
export const readSpent = (ctx: RequestContext, budgets: readonly Budget[]) =>
  selectSpent(ctx.db, budgetValues(ctx, budgets));

/** Throws `code` if a counter was spent; `spent` is the answer of {@link readSpent}. */
export function requireWithin(
  { now }: RequestContext,
  { spent }: { readonly spent: readonly { readonly endsAt: number }[] },
  code: "too_many_attempts" | "too_many_requests" = "too_many_attempts",
): void {
  if (spent.length === 0) return;
  const waits = spent.map(({ endsAt }) => Math.ceil((endsAt - now) / 1_000));
  throw new ApiError(code, { headers: { "Retry-After": String(Math.max(1, ...waits)) } });
}

const lower = written<never>(sql`update ${guessCounters} set count = max(${guessCounters.count} - 1, 0)
  from json_each(${parameter("raised")}) as raised
  where ${guessCounters.key} = raised.value ->> 0 and ${guessCounters.endsAt} = raised.value ->> 1`);

/** Takes one guess back from each counter that the request raised, unless it has begun a new window since: a statement. */
export const giveBack = ({ db }: RequestContext, counted: readonly Counted[]) =>
  lower(db, { raised: JSON.stringify(counted.map(({ key, endsAt }) => [key, endsAt])) });
