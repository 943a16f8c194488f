import { tokenRefused } from "../auth/authenticate.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import {
  type AnswersOf,
  attemptsOf,
  inBatch,
  type Reading,
  type Statements,
  type Texts,
  transact,
  type Values,
} from "../database/batch.ts";
import type { Db } from "../database/connect.ts";
import {
  daysOfRecords,
  type Keyed,
  type RecordedAnswer,
  type Replayable,
  replayOf,
} from "../database/idempotency.ts";
import { deviceKey, lookupKeys } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { type ReadsFirst, readingFirst, type TokenCaller } from "../http/read-first.ts";
import { pushEnd } from "../tracing/found-push.ts";
import { commitOf, type Decision } from "./decision.ts";
import type { TagFacts } from "./facts.ts";
import { type Caller, callerOf } from "./rules.ts";
import type { Report } from "./tag-statement.ts";

/**
 * How an endpoint of the lock runs (ADR 33): it reads the facts (facts.ts) in the call that authenticates, verifies
 * (tag-statement.ts), decides (its own file, by rules.ts and state.ts), and commits behind a guard of the same
 * facts. Where they have changed in between, it reads and decides again.
 */

/** What is decided on, beside the facts. */
export interface DecisionRequest<Input, Prepared = unknown> {
  readonly caller: Caller;
  readonly input: Input;
  readonly report: Report;
  readonly prepared: Prepared;
  readonly requestId: string;
}

/** What the answer is made of. */
interface Decided<Value, More> {
  readonly answered: RecordedAnswer["facts"];
  readonly value: Value | undefined;
  readonly more: More;
}

export interface Operation<Input, Facts extends TagFacts, Prepared, More extends Statements, Value, Answer> {
  readonly reading: Pick<Reading<never>, "read" | "guard"> & { readonly facts: (texts: Texts) => Facts };
  /** All that is asked before the session is read. */
  readonly values: (ctx: RequestContext, tokenCaller: TokenCaller, input: Input, keyed: Keyed) => Values;
  /** What is read in the same call, for the answer alone. */
  readonly more?: (ctx: RequestContext, tokenCaller: TokenCaller, input: Input) => More;
  /** Once for a request, however often it is decided: a PIN. */
  readonly prepare?: (ctx: BearerContext, input: Input) => Promise<Prepared>;
  /** Signatures and HMACs over the facts; no database. */
  readonly verify: (ctx: BearerContext, input: Input, facts: Facts) => Promise<Report>;
  /** Synchronous and pure. */
  readonly decide: (request: DecisionRequest<Input, Prepared>, facts: Facts) => Decision<Value>;
  /** Statements that go with whatever is decided. */
  readonly also?: (prepared: Prepared) => Statements | undefined;
  readonly answer: (
    ctx: BearerContext,
    input: Input,
    decided: Decided<Value, AnswersOf<More>>,
  ) => Answer | Promise<Answer>;
}

type Route<Input, Answer> = ReadsFirst<Input> & ((ctx: BearerContext, input: Input) => Promise<Answer>);
type KeyableRoute<Input, Answer> = ReadsFirst<Input> &
  ((ctx: BearerContext, input: Input, http: { readonly keyed: Keyed }) => Promise<Replayable<Answer>>);

/** An endpoint without Idempotency-Key. */
export function routeOf<Input, Facts extends TagFacts, Prepared, More extends Statements, Value, Answer>(
  operation: Operation<Input, Facts, Prepared, More, Value, Answer>,
): Route<Input, Answer> {
  const keyable = keyableRouteOf(operation);
  const route = async (ctx: BearerContext, input: Input) =>
    (await keyable(ctx, input, { keyed: undefined })).answer;
  return readingFirst(route, keyable.reads);
}

export function keyableRouteOf<
  Input,
  Facts extends TagFacts,
  Prepared,
  More extends Statements,
  Value,
  Answer,
>(operation: Operation<Input, Facts, Prepared, More, Value, Answer>): KeyableRoute<Input, Answer> {
  const { reading, values, more, prepare } = operation;
  type Read = { readonly texts: readonly Texts[]; readonly more: AnswersOf<More> };
  const reads = (ctx: RequestContext, tokenCaller: TokenCaller, input: Input, keyed: Keyed) => ({
    texts: reading.read(ctx.db, values(ctx, tokenCaller, input, keyed)),
    more: more?.(ctx, tokenCaller, input),
  });
  const route = async (ctx: BearerContext, input: Input, { keyed }: { readonly keyed: Keyed }) => {
    const { db, principal } = ctx;
    const attempts = attemptsOf(ctx);
    const prepared = (await prepare?.(ctx, input)) as Prepared;
    const read = async () => (await inBatch(db, reads(ctx, principal, input, keyed))) as unknown as Read;
    const { decision, more: moreAnswers } = await transact(db, {
      first: ctx.firstRead as Read | undefined,
      read,
      ...attempts,
      plan: async ({ texts: [texts = {}], more: answers }) => {
        const decided = await decideOn(ctx, input, { operation, prepared, facts: reading.facts(texts) });
        const guard = (at: Db) => reading.guard(at, values(ctx, principal, input, keyed), texts);
        const commit = commitOf(ctx, keyed, { decision: decided, guard, also: operation.also?.(prepared) });
        const committed = (written: unknown) => {
          for (const { event } of decided.after.audit) ctx.happened.add(event);
          const { endpoints = [] } = (written as AnswersOf<NonNullable<typeof commit>>).writes;
          if (endpoints.length > 0) pushEnd(ctx, endpoints);
        };
        return { decision: { decision: decided, more: answers }, commit, committed };
      },
    });
    return answerOf(keyed, decision, (answered) =>
      operation.answer(ctx, input, { answered, value: decision.value, more: moreAnswers }),
    );
  };
  return readingFirst(route, (ctx, tokenCaller, input: Input, http) =>
    reads(ctx, tokenCaller, input, http.keyed),
  );
}

interface DecideOn<Input, Facts extends TagFacts, Prepared, Value> {
  readonly operation: Pick<Operation<Input, Facts, Prepared, never, Value, unknown>, "verify" | "decide">;
  readonly prepared: Prepared;
  readonly facts: Facts;
}

/** Throws `unauthorized_token` if the session has ended since it was authenticated. */
async function decideOn<Input, Facts extends TagFacts, Prepared, Value>(
  ctx: BearerContext,
  input: Input,
  { operation, prepared, facts }: DecideOn<Input, Facts, Prepared, Value>,
): Promise<Decision<Value>> {
  if (facts.caller[0]?.revokedAt != null) throw tokenRefused("revoked");
  const report = await operation.verify(ctx, input, facts);
  const caller = callerOf(ctx, facts);
  return operation.decide({ caller, input, report, prepared, requestId: ctx.requestId }, facts);
}

/** The answer, or the refusal that was decided. */
async function answerOf<Value, Answer>(
  keyed: Keyed,
  { earlier, outcome, answered = {}, retryAfter, error }: Decision<Value>,
  answer: (answered: RecordedAnswer["facts"]) => Answer | Promise<Answer>,
): Promise<Replayable<Answer>> {
  if (earlier !== undefined) return { answer: await answer(replayOf(keyed, earlier).facts), isReplay: true };
  if (outcome === "ok") return { answer: await answer(answered), isReplay: false };
  const headers = retryAfter === undefined ? {} : { headers: { "Retry-After": String(retryAfter) } };
  throw error ?? new ApiError(outcome, headers);
}

interface TagQuery {
  /** As the request spells it. */
  readonly uniqueDeviceId: string;
  /** Keys of its further names. */
  readonly aliases?: readonly string[];
  readonly tagStatement?: string | undefined;
  readonly bags?: readonly (number | undefined)[];
  readonly counters?: readonly string[];
  readonly keyed?: Keyed;
}

/** The values of {@link ofTag} and of what goes with it. */
export function valuesOf(ctx: RequestContext, tokenCaller: TokenCaller, query: TagQuery): Values {
  const { uniqueDeviceId, aliases = [], tagStatement, keyed, bags: numbers = [], counters = [] } = query;
  return {
    now: ctx.now,
    sub: tokenCaller.sub,
    sessionId: tokenCaller.sessionId,
    bags: JSON.stringify(numbers.filter((number) => number !== undefined)),
    names: JSON.stringify([...new Set([...lookupKeys(uniqueDeviceId), ...aliases])]),
    statementOf: tagStatement === undefined ? null : deviceKey(uniqueDeviceId),
    counters: JSON.stringify(counters),
    endpoint: keyed?.endpoint ?? null,
    key: keyed?.key ?? null,
    days: JSON.stringify(keyed === undefined ? [] : daysOfRecords(ctx)),
  };
}
