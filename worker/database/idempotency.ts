import { and, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { EndpointName, ErrorCode } from "../../core/api/index.ts";
import { type Bytes, concat, utf8 } from "../../core/encoding/bytes.ts";
import { idempotencyRecords } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { type AnswersOf, insertFrom, type RowOf } from "./batch.ts";

/**
 * Requests that may be sent twice (rules §8, Idempotency-Key). The outcome is stored in the batch of
 * the change, so neither ever exists without the other. A second request with the key changes nothing
 * and gets the outcome of the first. An answer that is not final (401, 429, 5xx) leaves no record.
 */

/** A request under a key, or undefined where no key was sent. */
export type Keyed =
  | {
      readonly endpoint: EndpointName;
      /** Hash of the key: a caller may have put personal data into it. */
      readonly key: string;
      readonly bodyHash: string;
    }
  | undefined;

/** `subject` is what the path names: the same body for another subject is another request. */
export async function keyedRequest(
  endpoint: EndpointName,
  key: string,
  body: Bytes,
  subject: string,
): Promise<Keyed> {
  const bodyHash = await sha256Text(concat(utf8(subject), body));
  return { endpoint, key: await sha256Text(key), bodyHash };
}

/** What became of a request: `ok` or the errorCode it was refused with. */
export interface RecordedAnswer {
  readonly outcome: "ok" | ErrorCode;
  /** The members of the success body beyond the request; of a refusal, its `errors`. */
  readonly facts: Readonly<Record<string, string | number | readonly string[]>>;
}

/** An answer, and whether it repeats an earlier one: the result of every endpoint that takes the key. */
export interface Replayable<T> {
  readonly answer: T;
  readonly isReplay: boolean;
}

/** The header of a replayed answer. */
export const REPLAYED = { "Idempotent-Replayed": "true" } as const;

/** Whether the request has not been carried out before; every change of its batch is conditional on this. */
export const isUnused = (ctx: BearerContext, keyed: Keyed): SQL =>
  keyed === undefined ? sql`true` : sql`not exists ${readEarlier(ctx, keyed)}`;

/** Whether the very same request was carried out before. */
export const isRepeated = (ctx: BearerContext, keyed: NonNullable<Keyed>): SQL =>
  sql`exists (select 1 from ${readEarlier(ctx, keyed)} as earlier where earlier.body_hash = ${keyed.bodyHash})`;

/**
 * Goes last in the batch, after the changes. `decision` selects one row `outcome, facts` (facts as JSON
 * text) from the state after the changes.
 */
export function complete(ctx: BearerContext, keyed: Keyed, decision: SQL) {
  const decided = ctx.db
    .select({
      outcome: sql<RecordedAnswer["outcome"]>`decision.outcome`.as("outcome"),
      facts: sql<string>`decision.facts`.as("facts"),
    })
    .from(sql`(${decision}) as decision`);
  const isRecorded = keyed !== undefined;
  return {
    decided,
    recorded: isRecorded ? recordOutcome(ctx, keyed, decision) : undefined,
    older: isRecorded && !ctx.principal.staff ? dropOldest(ctx, keyed) : undefined,
    records: isRecorded ? readEarlier(ctx, keyed) : undefined,
  };
}

/** The answers of {@link complete}. */
export type Completed = AnswersOf<ReturnType<typeof complete>>;

/** The facts of a request that succeeded, now or when it was first sent. */
export interface Success {
  readonly facts: RecordedAnswer["facts"];
  readonly isReplay: boolean;
}

/** Reads what {@link complete} found. Throws the recorded refusal, or `idempotency_key_reused`. */
export function outcomeOf(keyed: Keyed, { decided: [decision], recorded, records }: Completed): Success {
  const record = records?.[0];
  if (recorded?.length === 0 && record !== undefined) return replayOf(keyed, record);
  if (decision === undefined) throw new TypeError("a decision without a row");
  const facts: RecordedAnswer["facts"] = JSON.parse(decision.facts);
  if (decision.outcome !== "ok") throw new ApiError(decision.outcome, { errors: errorsIn(facts) });
  return { facts, isReplay: false };
}

/** The outcome that the request had before. Throws that refusal, or `idempotency_key_reused`. */
export function replayOf(keyed: Keyed, { bodyHash, outcome, facts }: EarlierAnswer): Success {
  if (bodyHash !== keyed?.bodyHash) throw new ApiError("idempotency_key_reused");
  if (outcome !== "ok") throw new ApiError(outcome, { errors: errorsIn(facts), headers: REPLAYED });
  return { facts, isReplay: true };
}

const errorsIn = ({ errors }: RecordedAnswer["facts"]): readonly string[] =>
  typeof errors === "object" ? errors : [];

/** Deletes a passenger's oldest records beyond their cap, so that no caller fills the table. */
function dropOldest(ctx: BearerContext, { endpoint }: NonNullable<Keyed>) {
  const { db, principal, settings } = ctx;
  const { sub, key, createdAt } = idempotencyRecords;
  const own = and(isOfLate(ctx), eq(sub, principal.sub), eq(idempotencyRecords.endpoint, endpoint));
  const older = db
    .select({ key })
    .from(idempotencyRecords)
    .where(own)
    .orderBy(desc(createdAt), desc(key))
    .limit(settings.limits.sweepRowsPerStatement)
    .offset(settings.limits.idempotencyRecordsPerSubject);
  return db.delete(idempotencyRecords).where(and(own, inArray(key, older)));
}

/** The outcome of an earlier request under the same key. */
export const readEarlier = (ctx: BearerContext, keyed: NonNullable<Keyed>) =>
  ctx.db
    .select({
      bodyHash: idempotencyRecords.bodyHash,
      outcome: idempotencyRecords.outcome,
      facts: idempotencyRecords.facts,
    })
    .from(idempotencyRecords)
    .where(
      and(
        isOfLate(ctx),
        eq(idempotencyRecords.sub, ctx.principal.sub),
        eq(idempotencyRecords.endpoint, keyed.endpoint),
        eq(idempotencyRecords.key, keyed.key),
        gt(idempotencyRecords.expiresAt, ctx.now),
      ),
    );

/** The days on which a record that is still good can have been made. */
export const daysOfRecords = ({ now, settings }: RequestContext): readonly number[] =>
  daysSince(now, settings.limits.idempotencySeconds);

const isOfLate = (ctx: RequestContext): SQL => inArray(idempotencyRecords.day, [...daysOfRecords(ctx)]);

/** The outcome that a request had when it was sent before. */
export type EarlierAnswer = Awaited<ReturnType<typeof readEarlier>>[number];

/** Stores the outcome of a request: statements, for the batch of the change that it reports. */
export function recordAnswer(
  ctx: BearerContext,
  keyed: NonNullable<Keyed>,
  { outcome, facts = {} }: Pick<RecordedAnswer, "outcome"> & Partial<Pick<RecordedAnswer, "facts">>,
) {
  return {
    record: store(ctx, keyed, { outcome, facts }, sql`where true`),
    older: ctx.principal.staff ? undefined : dropOldest(ctx, keyed),
  };
}

/** Returns a row if the outcome was recorded, none if there is a record already or the outcome is not final. */
function recordOutcome(ctx: BearerContext, keyed: NonNullable<Keyed>, decision: SQL) {
  const isFinal = sql`from (${decision}) as decision
    where decision.outcome <> 'too_many_requests' and ${isUnused(ctx, keyed)}`;
  const found = { outcome: sql`decision.outcome`, facts: sql`decision.facts` };
  return store(ctx, keyed, found, isFinal).returning({ key: idempotencyRecords.key });
}

/** A record of each row of `from`, in the place of one of this day that has expired. */
function store(
  { db, now, principal, settings }: BearerContext,
  keyed: NonNullable<Keyed>,
  { outcome, facts }: Pick<RowOf<typeof idempotencyRecords>, "outcome" | "facts">,
  from: SQL,
) {
  const { day, sub, endpoint, key } = idempotencyRecords;
  const excluded = (column: string) => sql`excluded.${sql.identifier(column)}`;
  const times = { createdAt: now, expiresAt: now + settings.limits.idempotencySeconds * 1_000 };
  const row = { day: dayOf(now), sub: principal.sub, ...keyed, outcome, facts, ...times };
  return insertFrom(db, idempotencyRecords, row, from).onConflictDoUpdate({
    target: [day, sub, endpoint, key],
    set: {
      bodyHash: excluded("body_hash"),
      outcome: excluded("outcome"),
      facts: excluded("facts"),
      ...times,
    },
  });
}

/** Days since 1970, in UTC: rows that end by whole days are found by theirs. */

const DAY = 86_400_000;

/** The day of `time`, in milliseconds since 1970. */
export const dayOf = (time: number): number => Math.floor(time / DAY);

/** The days of the last `seconds`. A list, as a range would scan the key. */
export function daysSince(now: number, seconds: number): readonly number[] {
  const first = dayOf(now - seconds * 1_000);
  return Array.from({ length: dayOf(now) - first + 1 }, (_, i) => first + i);
}

/** The newest of the days whose rows have all ended after `seconds`. */
export const lastDayBefore = (now: number, seconds: number): number => dayOf(now - seconds * 1_000) - 1;
