import { and, asc, eq, gte, isNull, lte, type SQL, sql } from "drizzle-orm";
import { auditLog, webhooks } from "../../db/schema.ts";
import type { Place } from "../audit/event-feed.ts";
import type { RunContext } from "../run-context.ts";
import { open } from "../secrets/sealed.ts";
import { keysAt } from "./keys.ts";
import { type Failure, messageOf, type Sending, send, signedHeaders } from "./message.ts";
import {
  FOR_LEASES,
  type ListenerResult,
  type Move,
  PER_STORE,
  store,
  takeLeases,
  type Webhook,
} from "./rows.ts";
import { type Page, type Reader, Windows } from "./windows.ts";

/**
 * Sends what happens to bags to listeners (rules §5): a place in the audit log for each webhook, which moves only when a
 * message was taken. A message may come twice, and none is lost: not by a run that dies, nor by two at once, nor by an
 * operator who moves the place during a run.
 */

/** What a run did. */
export interface Delivered {
  readonly events: number;
  /** Webhooks whose attempt failed, and those of them that were given up. */
  readonly failed: number;
  readonly stopped: number;
}

export interface WebhookRun extends RunContext, Pick<Sending, "fetcher"> {
  /** Milliseconds from one turn of a webhook to its next; 0 where none is said. */
  readonly pace?: number;
}

/** The most that a run looks at; the others are the first of the next one. */
const MOST = 200;

/** One webhook in a run. */
interface Listener extends Reader {
  readonly webhook: Webhook;
  place: Place;
  hasPlace: boolean;
  /** Milliseconds that its messages have taken. */
  used: number;
  events: number;
  /** How it leaves the run; until then it has more to be sent. */
  result?: ListenerResult;
  isBusy: boolean;
  /** Whether its lease was returned, or is being. */
  isReturned: boolean;
}

/**
 * Every webhook that is due is sent what is new, a few messages at a time. Those that work come first, and of them those
 * that have taken the least time: one that hangs, fails or is far behind takes no turn from another.
 */
export const runWebhooks = async (ctx: WebhookRun): Promise<Delivered> =>
  runTurns(ctx, await readDue(ctx, lte(webhooks.dueAt, ctx.now)));

/**
 * The same for those that work, as soon as something is new for them. `isWaiting`: for some of them something is, and their
 * turn has not come, or another run has them.
 */
export async function runWebhooksSoon(ctx: WebhookRun): Promise<Delivered & { readonly isWaiting: boolean }> {
  const behind = await readDue(ctx, and(gte(webhooks.dueAt, 0), eq(webhooks.failures, 0)));
  const due = behind.filter(({ dueAt }) => dueAt <= ctx.now);
  const delivered = await runTurns(ctx, due);
  return { ...delivered, isWaiting: delivered.turns < behind.length };
}

async function runTurns(ctx: WebhookRun, due: readonly Webhook[]) {
  const { webhookStatementsPerRun } = ctx.settings.limits;
  const spend = statementBudget(webhookStatementsPerRun - FOR_RUN);
  if (due.length === 0) return { events: 0, failed: 0, stopped: 0, turns: 0 };
  const lease = nowOf(ctx) + leaseOf(ctx);
  const taken = await takeLeases(ctx, due, lease);
  const run = new Run({ ...ctx, lease }, taken.map(listenerOf), spend);
  try {
    await run.send();
  } finally {
    await run.end();
  }
  return { ...run.delivered(), turns: taken.length };
}

/** Statements of a run besides its windows and what it stores on the way. */
const FOR_RUN = 1 + FOR_LEASES + PER_STORE;

/** Not at the newest row of the log, nor at one that was there before a restore. */
const isBehind = sql`(${webhooks.placeId}, ${webhooks.placeAt}) is not
  (select ${auditLog.id}, ${auditLog.at} from ${auditLog}
    where ${auditLog.id} = (select max(newest.id) from ${auditLog} as newest))`;

const readDue = ({ db }: RunContext, which: SQL | undefined): Promise<Webhook[]> =>
  db
    .select()
    .from(webhooks)
    .where(and(isNull(webhooks.stoppedAt), which, isBehind))
    .orderBy(sql`${webhooks.failures} > 0`, asc(webhooks.dueAt))
    .limit(MOST);

/** Later than any run lasts: by then the run that has it is dead. */
const leaseOf = ({ settings: { limits } }: RunContext) =>
  limits.webhookRunSeconds * 1_000 + limits.webhookTimeoutMilliseconds + 30_000;

const listenerOf = ({ webhook, hasPlace }: Awaited<ReturnType<typeof takeLeases>>[number]): Listener => ({
  ...{ webhook, hasPlace, airlines: webhook.airlines, place: { id: webhook.placeId, at: webhook.placeAt } },
  hasMessages: webhook.scopes.includes("baggage:message"),
  used: 0,
  events: 0,
  isBusy: false,
  isReturned: false,
});

/** Whether so many more statements fit into the run; if so, they are spent. */
type Spend = (statements: number) => boolean;

function statementBudget(most: number): Spend {
  let left = most;
  return (statements) => {
    if (statements > left) return false;
    left -= statements;
    return true;
  };
}

/** Progress is stored so often at most; a run that dies sends again what was taken since. */
const BETWEEN_STORES = 250;
/** The turns that one listener's time is cut into, so that slow ones let the others pass. */
const TURNS = 10;

class Run {
  readonly #ctx: WebhookRun & { readonly lease: number };
  readonly #listeners: readonly Listener[];
  readonly #spend: Spend;
  readonly #windows: Windows;
  readonly #moves = new Map<string, Move>();
  #messages: number;
  #isOver = false;
  #isStoring = false;
  #storedAt = Number.NEGATIVE_INFINITY;
  #failed = 0;
  #stopped = 0;

  constructor(ctx: WebhookRun & { readonly lease: number }, listeners: readonly Listener[], spend: Spend) {
    this.#ctx = ctx;
    this.#listeners = listeners;
    this.#spend = spend;
    this.#windows = new Windows(ctx, listeners, spend);
    this.#messages = ctx.settings.limits.webhookMessagesPerRun;
  }

  readonly delivered = (): Delivered => ({
    events: this.#listeners.reduce((sum, { events }) => sum + events, 0),
    failed: this.#failed,
    stopped: this.#stopped,
  });

  /** Sends until all is sent, or time, statements or messages are used up. */
  async send(): Promise<void> {
    const { webhooksAtOnce } = this.#ctx.settings.limits;
    const lanes = Array.from({ length: webhooksAtOnce }, () => this.#lane());
    const failure = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") throw failure.reason;
  }

  /** Stores every place and returns every lease. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const listener of this.#listeners) listener.result ??= resultAt(listener, nextTurn(this.#ctx));
    await this.#store(this.#listeners, () => true);
  }

  async #lane(): Promise<void> {
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#turn(next);
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  async #turn(listener: Listener): Promise<void> {
    const { elapsed, settings } = this.#ctx;
    const begin = elapsed();
    listener.isBusy = true;
    await this.#step(listener);
    listener.isBusy = false;
    listener.used += elapsed() - begin;
    if (listener.used >= settings.limits.webhookTurnSeconds * 1_000) this.#leave(listener);
    if (this.#isStoring || elapsed() - this.#storedAt < BETWEEN_STORES) return;
    const idle = this.#listeners.filter(({ isBusy }) => !isBusy);
    await this.#store(idle, this.#spend);
  }

  #next(): Listener | undefined {
    const { elapsed, settings } = this.#ctx;
    const { webhookRunSeconds, webhookTurnSeconds } = settings.limits;
    if (this.#isOver || elapsed() >= webhookRunSeconds * 1_000 || this.#messages <= 0) return undefined;
    const turn = (webhookTurnSeconds * 1_000) / TURNS;
    const rank = ({ webhook, used }: Listener) =>
      (webhook.failures > 0 ? TURNS + 1 : 0) + Math.floor(used / turn);
    const open = this.#listeners.filter(({ isBusy, result }) => !isBusy && result === undefined);
    return open.reduce<Listener | undefined>(
      (best, one) => (best !== undefined && rank(best) <= rank(one) ? best : one),
      undefined,
    );
  }

  /** One message to one listener, or what is left of a window without any. */
  async #step(listener: Listener): Promise<void> {
    const page = await this.#windows.next(listener);
    if (page === undefined) {
      this.#isOver = true;
      return;
    }
    // A message without events reports that some were missed.
    const isSent = page.events.length > 0 || page.fault !== undefined;
    if (isSent) this.#messages--;
    const failure = isSent ? await deliver(this.#ctx, listener.webhook, page) : undefined;
    if (failure !== undefined) {
      this.#fail(listener, failure);
      return;
    }
    listener.events += page.events.length;
    this.#addMove(listener, page.after, isSent);
    if (!page.more) this.#leave(listener);
  }

  #addMove(listener: Listener, to: Place, isSent: boolean): void {
    const { place: from, webhook } = listener;
    listener.place = to;
    listener.hasPlace = true;
    // After a restore another row may have the number of the place.
    if (to.id === from.id && to.at === from.at) return;
    const earlier = this.#moves.get(webhook.id);
    const deliveredAt = isSent ? nowOf(this.#ctx) : (earlier?.deliveredAt ?? null);
    this.#moves.set(webhook.id, { id: webhook.id, from: earlier?.from ?? from, to, deliveredAt });
  }

  /**
   * Stores the places, and returns the leases of those of `idle` that have left. Where an operator or another run moved a
   * place, this run sends that listener no more.
   */
  async #store(idle: readonly Listener[], spend: Spend): Promise<void> {
    const moves = [...this.#moves.values()];
    const leaving = idle.filter(({ result, isReturned }) => result !== undefined && !isReturned);
    if (moves.length + leaving.length === 0 || !spend(PER_STORE)) return;
    this.#moves.clear();
    for (const listener of leaving) listener.isReturned = true;
    this.#isStoring = true;
    this.#storedAt = this.#ctx.elapsed();
    const results = leaving.flatMap((listener) => listener.result ?? []);
    const { moved, returned } = await store(this.#ctx, this.#ctx.lease, { moves, results });
    this.#isStoring = false;
    this.#stopped += results.filter(({ id, stoppedAt }) => stoppedAt !== null && returned.has(id)).length;
    const refused = new Set(moves.flatMap(({ id }) => (moved.has(id) ? [] : [id])));
    for (const listener of this.#listeners) if (refused.has(listener.webhook.id)) this.#leave(listener);
  }

  #leave(listener: Listener): void {
    const { id } = listener.webhook;
    const success = { failures: 0, lastError: null, stoppedAt: null };
    listener.result ??= { id, dueAt: nextTurn(this.#ctx), ...success };
  }

  /** Waits before the next attempt, or gives the webhook up: its place stays, and an operator sends it on from there. */
  #fail(listener: Listener, { error, isGone }: NonNullable<Failure>): void {
    const { webhook, events } = listener;
    const now = nowOf(this.#ctx);
    const failures = (events > 0 ? 0 : webhook.failures) + 1;
    const isOver = isGone || failures >= this.#ctx.settings.limits.webhookAttempts;
    const dueAt = now + Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT);
    this.#failed++;
    listener.result ??= { id: webhook.id, dueAt, failures, lastError: error, stoppedAt: isOver ? now : null };
  }
}

/** One that has more to be sent: behind those whose turn has not come, which keep theirs. */
function resultAt({ webhook, place }: Listener, next: number): ListenerResult {
  const { id, placeId, placeAt, dueAt, failures, lastError, stoppedAt } = webhook;
  return place.id === placeId && place.at === placeAt
    ? { id, dueAt, failures, lastError, stoppedAt }
    : { id, dueAt: next, failures: 0, lastError: null, stoppedAt: null };
}

/** The first wait, and the longest: twice as long each time, about three days for twenty attempts. */
const [FIRST_WAIT, LONGEST_WAIT] = [60_000, 6 * 3_600_000];

async function deliver(ctx: WebhookRun, webhook: Webhook, page: Page): Promise<Failure> {
  const { settings, fetcher } = ctx;
  const progress = { place: page.after, isMissed: page.fault !== undefined };
  const message = await messageOf(settings.pepperKey, webhook.id, page.events, progress);
  const secrets = await secretsOf(ctx, webhook);
  // One whose key was lost is its own fault, and takes no turn from another.
  if (secrets === undefined) return { error: "secret", isGone: false };
  const sending = {
    fetcher,
    isDevelopment: settings.environment === "development",
    timeoutMilliseconds: settings.limits.webhookTimeoutMilliseconds,
  };
  const headers = await signedHeaders(secrets, message, nowOf(ctx));
  return send(sending, webhook.url, { headers, body: message.body });
}

const secretsOf = (ctx: WebhookRun, { id, secretSealed }: Webhook) =>
  open(ctx.settings.dataKey, { field: "webhook-secret", id }, secretSealed).then(
    (text) => keysAt(text, nowOf(ctx)),
    () => undefined,
  );

const nowOf = ({ now, elapsed }: RunContext) => now + Math.round(elapsed());
const nextTurn = (ctx: WebhookRun) => nowOf(ctx) + (ctx.pace ?? 0);
