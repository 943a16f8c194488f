import { type SQL, sql } from "drizzle-orm";
import type { EndpointName, ErrorCode } from "../../core/api/index.ts";
import { type Bytes, concat, utf8 } from "../../core/encoding/bytes.ts";
import { idempotencyRecords } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { type AnswersOf, listOf, parameter, type Values, written } from "./batch.ts";

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

const { day, sub, endpoint, key, bodyHash, outcome, facts, createdAt, expiresAt } = idempotencyRecords;

/** Where an earlier record of the request is; `value` gives what {@link keyValues} names. */
const isEarlierBy = (value: (name: string) => unknown): SQL =>
  sql`${day} in (select value from json_each(${value("days")})) and ${sub} = ${value("sub")}
    and ${endpoint} = ${value("endpoint")} and ${key} = ${value("key")} and ${expiresAt} > ${value("now")}`;
export const isEarlier = isEarlierBy(parameter);
const isFirstBy = (value: (name: string) => unknown): SQL =>
  sql`not exists (select 1 from ${idempotencyRecords} where ${isEarlierBy(value)})`;

/** Whether the request has not been carried out before, or has no key; by {@link keyValues}. */
export const isFirst = isFirstBy(parameter);

/** The values of statements about the record of a request. */
export function keyValues(ctx: RequestContext, caller: string, keyed: Keyed): Values {
  const { now, settings } = ctx;
  const { idempotencySeconds, idempotencyRecordsPerSubject, sweepRowsPerStatement } = settings.limits;
  return {
    now,
    sub: caller,
    day: dayOf(now),
    days: JSON.stringify(daysOfRecords(ctx)),
    endpoint: keyed?.endpoint ?? null,
    key: keyed?.key ?? null,
    bodyHash: keyed?.bodyHash ?? null,
    recordEndsAt: now + idempotencySeconds * 1_000,
    mostRecords: idempotencyRecordsPerSubject,
    mostRows: sweepRowsPerStatement,
  };
}

/** The header of a replayed answer. */
export const REPLAYED = { "Idempotent-Replayed": "true" } as const;

/** {@link isFirst} for a statement that is composed for one request; every change of its batch is conditional on this. */
export function isUnused(ctx: BearerContext, keyed: Keyed): SQL {
  const values = keyValues(ctx, ctx.principal.sub, keyed);
  return isFirstBy((name) => values[name]);
}

/**
 * Goes last in the batch, after the changes. `decision` selects one row `outcome, facts` (facts as JSON
 * text) from the state after the changes, or none where it is not final.
 */
export function completing(decision: SQL) {
  const from = sql`from (${decision}) as decision`;
  const decide = written<{ readonly outcome: RecordedAnswer["outcome"]; readonly facts: string }>(
    sql`select decision.outcome as "outcome", decision.facts as "facts" ${from}`,
  );
  const isFinal = sql`${from} where decision.outcome <> 'too_many_requests' and ${isFirst}`;
  const record = written<{ readonly key: string }>(
    sql`${storing(sql`decision.outcome`, sql`decision.facts`, isFinal)} returning key`,
  );
  return (ctx: BearerContext, keyed: Keyed, more: Values = {}) => {
    const values = { ...keyValues(ctx, ctx.principal.sub, keyed), ...more };
    return {
      decided: decide(ctx.db, values),
      recorded: keyed && record(ctx.db, values),
      older: keyed && !ctx.principal.staff ? dropOldest(ctx.db, values) : undefined,
      records: keyed && readEarlier(ctx.db, values),
    };
  };
}

/** The same for a decision that is composed for one request. */
export const complete = (ctx: BearerContext, keyed: Keyed, decision: SQL) => completing(decision)(ctx, keyed);

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
  if (recorded?.length === 0 && record !== undefined)
    return replayOf(keyed, { ...record, facts: JSON.parse(record.facts) });
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

const ofEndpoint = sql`${day} in ${listOf("days")} and ${sub} = ${parameter("sub")}
  and ${endpoint} = ${parameter("endpoint")}`;

/** Deletes a passenger's oldest records beyond their cap, so that no caller fills the table. */
const dropOldest = written<never>(sql`delete from ${idempotencyRecords} where ${ofEndpoint} and ${key} in (
  select ${key} from ${idempotencyRecords} where ${ofEndpoint} order by ${createdAt} desc, ${key} desc
  limit ${parameter("mostRows")} offset ${parameter("mostRecords")})`);

const readEarlier = written<Omit<EarlierAnswer, "facts"> & { readonly facts: string }>(
  sql`select ${bodyHash} as "bodyHash", ${outcome} as "outcome", ${facts} as "facts"
    from ${idempotencyRecords} where ${isEarlier}`,
);

/** The days on which a record that is still good can have been made. */
export const daysOfRecords = ({ now, settings }: RequestContext): readonly number[] =>
  daysSince(now, settings.limits.idempotencySeconds);

/** The outcome that a request had when it was sent before. */
export type EarlierAnswer = Pick<typeof idempotencyRecords.$inferSelect, "bodyHash" | "outcome" | "facts">;

/** A record of each row of `which`, in the place of one of this day that has expired. */
function storing(outcomeOfRow: SQL, factsOfRow: SQL, which: SQL): SQL {
  const ofRequest = ["day", "sub", "endpoint", "key", "bodyHash"].map((name) => sql`${parameter(name)}`);
  return sql`insert into ${idempotencyRecords}
      (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)
    select ${sql.join(ofRequest, sql`, `)}, ${outcomeOfRow}, ${factsOfRow}, ${parameter("now")}, ${parameter("recordEndsAt")}
    ${which}
    on conflict (day, sub, endpoint, key) do update set body_hash = excluded.body_hash, outcome = excluded.outcome,
      facts = excluded.facts, created_at = excluded.created_at, expires_at = excluded.expires_at`;
}
const storeAnswer = written<never>(
  storing(sql`${parameter("outcome")}`, sql`${parameter("facts")}`, sql`where true`),
);

/** Stores the outcome of a request: statements, for the batch of the change that it reports. */
export function recordAnswer(
  ctx: BearerContext,
  keyed: NonNullable<Keyed>,
  answer: Pick<RecordedAnswer, "outcome"> & Partial<Pick<RecordedAnswer, "facts">>,
) {
  const values = keyValues(ctx, ctx.principal.sub, keyed);
  return {
    record: storeAnswer(ctx.db, {
      ...values,
      outcome: answer.outcome,
      facts: JSON.stringify(answer.facts ?? {}),
    }),
    older: ctx.principal.staff ? undefined : dropOldest(ctx.db, values),
  };
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
