import { and, type SQL, sql } from "drizzle-orm";
import { guessCounters } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { type AnswersOf, insertFrom } from "../database/batch.ts";
import { ApiError } from "../errors.ts";

/** Counters in the database: each allows so much in a window that begins with its first use and never moves. */

/** Seconds. */
export const HOUR = 3_600;

/** One counter, and what the request draws on it. */
export interface Budget {
  readonly key: SQL | string;
  readonly cap: number;
  readonly windowSeconds: number;
  /** What the request costs; 1 where it is left out. */
  readonly cost?: SQL | number;
  /** Where this holds, the request is not counted here and not refused. */
  readonly exempt?: SQL;
}

/** A counter that a request has raised, and the window it was raised in. */
export interface Counted {
  readonly key: string;
  readonly endsAt: number;
}

/**
 * Raises every counter, or none if one of them is spent: two statements, to go first in the batch that reads
 * what is guessed at. A refused request adds nothing, so no caller can spend others' counters with refused
 * requests. Nor is anything added where `isGuess` does not hold.
 */
export const countGuess = (ctx: RequestContext, budgets: readonly Budget[], isGuess: SQL = sql`true`) => ({
  spent: readSpent(ctx, budgets),
  counted: raise(ctx, budgets, isGuess),
});

/** The second statement of {@link countGuess}; `mark` is stored as the id of the request that raised the counters. */
export function raise(
  ctx: RequestContext,
  budgets: readonly Budget[],
  isGuess: SQL,
  mark: SQL = sql`${ctx.requestId}`,
) {
  const { db, now } = ctx;
  const { key, count, endsAt } = guessCounters;
  const row = { key: sql`drawn.key`, count: sql`drawn.cost`, endsAt: sql`drawn.ends_at`, requestId: mark };
  const isRunning = sql`${endsAt} > ${now}`;
  return insertFrom(
    db,
    guessCounters,
    row,
    sql`from ${drawnOn(ctx, budgets)} as drawn where ${isGuess} and drawn.cost > 0 and not drawn.any_spent`,
  )
    .onConflictDoUpdate({
      target: key,
      set: {
        count: sql`excluded.count + case when ${isRunning} then ${count} else 0 end`,
        endsAt: sql`case when ${isRunning} then ${endsAt} else excluded.ends_at end`,
        requestId: sql`excluded.request_id`,
      },
    })
    .returning({ key, endsAt });
}

/** The counters that would refuse, and until when: a statement that counts nothing. */
export const readSpent = (ctx: RequestContext, budgets: readonly Budget[]) =>
  ctx.db
    .select({ endsAt: sql<number>`drawn.running_until`.as("running_until") })
    .from(sql`${drawnOn(ctx, budgets)} as drawn`)
    .where(sql`drawn.is_spent`);

/** Whether no counter would refuse. */
export const isWithin = (ctx: RequestContext, budgets: readonly Budget[]): SQL =>
  sql`not exists (select 1 from ${drawnOn(ctx, budgets)} as drawn where drawn.is_spent)`;

/**
 * One row per counter. A spent counter refuses free requests, too: otherwise a caller would learn that a
 * request is free. Caps are written out: D1 binds a hundred values.
 */
function drawnOn({ now }: RequestContext, budgets: readonly Budget[]): SQL {
  const rows = budgets.map(({ key, cap, windowSeconds, cost = 1, exempt = sql`false` }) => {
    const endsAt = now + windowSeconds * 1_000;
    return sql`(${key}, ${cost}, ${sql.raw(`${cap}`)}, ${endsAt}, ${exempt})`;
  });
  const { count, endsAt } = guessCounters;
  const isSpent = sql`coalesce(${count}, 0) + max(asked.column2, 1) > asked.column3`;
  return sql`(select asked.column1 as key, asked.column2 as cost, asked.column4 as ends_at,
      coalesce(${endsAt}, asked.column4) as running_until,
      ${isSpent} as is_spent, max(${isSpent}) over () as any_spent
    from (values ${sql.join(rows, sql`, `)}) as asked
    left join ${guessCounters} on ${guessCounters.key} = asked.column1 and ${endsAt} > ${now}
    where not asked.column5)`;
}

/** Throws `code` if a counter was spent; `answers` are those of {@link countGuess}. */
export function requireWithin(
  { now }: RequestContext,
  { spent }: Pick<AnswersOf<ReturnType<typeof countGuess>>, "spent">,
  code: "too_many_attempts" | "too_many_requests" = "too_many_attempts",
): void {
  if (spent.length === 0) return;
  const waits = spent.map(({ endsAt }) => Math.ceil((endsAt - now) / 1_000));
  throw new ApiError(code, { headers: { "Retry-After": String(Math.max(1, ...waits)) } });
}

/**
 * Takes one guess back from each counter that the request raised, where `when` holds. A counter that has begun
 * a new window since is left alone. A statement.
 */
export function giveBack({ db }: RequestContext, counted: readonly Counted[], when: SQL = sql`true`) {
  const raised = JSON.stringify(counted.map(({ key, endsAt }) => [key, endsAt]));
  return db
    .update(guessCounters)
    .set({ count: sql`max(${guessCounters.count} - 1, 0)` })
    .from(sql`json_each(${raised}) as raised`)
    .where(
      and(
        sql`${guessCounters.key} = raised.value ->> 0 and ${guessCounters.endsAt} = raised.value ->> 1`,
        when,
      ),
    );
}
