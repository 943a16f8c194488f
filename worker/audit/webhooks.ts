import { and, asc, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Place } from "../../db/event-feed.ts";
import { auditLog, webhooks } from "../../db/schema.ts";
import { open } from "../../db/sealed.ts";
import { keysAt } from "../../db/webhook-keys.ts";
import type { RunContext } from "../scheduled/sweep-tasks.ts";
import { eventOf, readOn } from "./feed.ts";
import { type Failure, messageOf, type Sending, send, signedHeaders } from "./webhook-message.ts";

/**
 * Sends what happens to bags to whoever listens (rules §5): a place in the audit log for each webhook, which moves only
 * when a message was taken. So a message may come twice, and none is lost: not by a run that dies, nor by two at once, nor
 * by an operator who moves the place meanwhile.
 */

/** What a run did. */
export interface Delivered {
  readonly events: number;
  /** Webhooks whose attempt failed, and those of them that were given up. */
  readonly failed: number;
  readonly stopped: number;
}

type Webhook = typeof webhooks.$inferSelect;
type Outcome = { readonly events: number; readonly failed?: true; readonly stopped?: true };
export interface WebhookRun extends RunContext, Pick<Sending, "fetcher"> {}

/** The most that a run looks at; the others are the first of the next one. */
const MOST = 200;

/**
 * A turn for every webhook that is due, a few at a time. Those that work come first, and of them who has waited longest:
 * one that hangs or fails takes no turn from another.
 */
export async function runWebhooks(ctx: WebhookRun): Promise<Delivered> {
  const { db, now, settings } = ctx;
  const { webhookRunSeconds, webhooksAtOnce } = settings.limits;
  const due = await db
    .select()
    .from(webhooks)
    .where(and(isNull(webhooks.stoppedAt), lte(webhooks.dueAt, now), isBehind))
    .orderBy(sql`${webhooks.failures} > 0`, asc(webhooks.dueAt))
    .limit(MOST);
  const outcomes: Outcome[] = [];
  const spend = statementBudget(settings.limits.webhookStatementsPerRun - 1);
  const turns = async () => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (ctx.elapsed() >= webhookRunSeconds * 1_000 || !spend(PER_TURN + PER_MESSAGE)) return;
      outcomes.push(await turn(ctx, next, spend));
    }
  };
  await Promise.all(Array.from({ length: webhooksAtOnce }, turns));
  return {
    events: outcomes.reduce((sum, { events }) => sum + events, 0),
    failed: outcomes.filter(({ failed }) => failed).length,
    stopped: outcomes.filter(({ stopped }) => stopped).length,
  };
}

/** Not at the newest row of the log, nor at one that was there before a restore. */
const isBehind = sql`(${webhooks.placeId}, ${webhooks.placeAt}) is not
  (select ${auditLog.id}, ${auditLog.at} from ${auditLog}
    where ${auditLog.id} = (select max(newest.id) from ${auditLog} as newest))`;

/** Statements of a turn besides its messages: take and return the lease, read from the beginning once after a restore. */
const PER_TURN = 7;
/** Statements of a message: read ahead, move the place. */
const PER_MESSAGE = 6;

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

/** Later than any turn lasts: by then the run that has it is dead. */
const TURN_LEASE = 300_000;

/** Sends one webhook what is new, until that is all, its time is up, or an attempt fails. */
async function turn(ctx: WebhookRun, webhook: Webhook, spend: Spend): Promise<Outcome> {
  const { db, settings } = ctx;
  const lease = nowOf(ctx) + TURN_LEASE;
  const isSeen = and(isWebhook(webhook), eq(webhooks.dueAt, webhook.dueAt), isNull(webhooks.stoppedAt));
  if (!(await changed(ctx, isSeen, { dueAt: lease }))) return { events: 0 };
  const isMine = and(isWebhook(webhook), eq(webhooks.dueAt, lease));
  const end = ctx.elapsed() + settings.limits.webhookTurnSeconds * 1_000;
  let place: Place = { id: webhook.placeId, at: webhook.placeAt };
  let events = 0;
  for (let more = true; more && ctx.elapsed() < end; ) {
    const ahead = await readOn(ctx, {
      after: place,
      airlines: webhook.airlines,
      limit: settings.limits.webhookEventsPerMessage,
      rows: settings.limits.eventRowsPerPage,
    });
    // What was missed is said even where nothing else is to be told: the place that shows it moves on.
    const isTold = ahead.events.length > 0 || ahead.fault !== undefined;
    const failure = isTold ? await deliver(ctx, webhook, ahead) : undefined;
    if (failure !== undefined) {
      const before = events > 0 ? 0 : webhook.failures;
      return { events, ...(await giveWay(ctx, isMine, { ...failure, failures: before + 1 })) };
    }
    // Whoever has moved the place meanwhile, an operator or another run, has the last word.
    const isThere = and(isWebhook(webhook), eq(webhooks.placeId, place.id), eq(webhooks.placeAt, place.at));
    const told = isTold ? { deliveredAt: nowOf(ctx) } : {};
    const moved = { placeId: ahead.after.id, placeAt: ahead.after.at, ...told };
    // After a restore another row may have the number of the place.
    const isMove = ahead.after.id !== place.id || ahead.after.at !== place.at;
    if (isMove && !(await changed(ctx, isThere, moved))) break;
    events += ahead.events.length;
    place = ahead.after;
    more = ahead.more && spend(PER_MESSAGE);
  }
  await db
    .update(webhooks)
    .set({ dueAt: nowOf(ctx), failures: 0, lastError: null })
    .where(isMine);
  return { events };
}

async function deliver(
  ctx: WebhookRun,
  webhook: Webhook,
  ahead: Awaited<ReturnType<typeof readOn>>,
): Promise<Failure> {
  const { settings, fetcher } = ctx;
  const told = await Promise.all(ahead.events.map((row) => eventOf(settings, row)));
  const progress = { place: ahead.after, isMissed: ahead.fault !== undefined };
  const message = await messageOf(settings.pepperKey, webhook.id, told, progress);
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

/** The first wait, and the longest: twice as long each time, about three days for twenty attempts. */
const [FIRST_WAIT, LONGEST_WAIT] = [60_000, 6 * 3_600_000];

/** Waits before the next attempt, or gives the webhook up: its place stays, and an operator sends it on from there. */
async function giveWay(
  ctx: WebhookRun,
  isMine: SQL | undefined,
  { error, isGone, failures }: NonNullable<Failure> & { readonly failures: number },
): Promise<Pick<Outcome, "failed" | "stopped">> {
  const now = nowOf(ctx);
  const isOver = isGone || failures >= ctx.settings.limits.webhookAttempts;
  const dueAt = now + Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT);
  const row = { failures, lastError: error, dueAt, ...(isOver && { stoppedAt: now }) };
  const isTold = await changed(ctx, isMine, row);
  return { failed: true, ...(isOver && isTold && { stopped: true }) };
}

const isWebhook = ({ id }: Webhook) => eq(webhooks.id, id);
const nowOf = ({ now, elapsed }: RunContext) => now + Math.round(elapsed());

/** Whether `which` was still so. */
async function changed({ db }: RunContext, which: SQL | undefined, row: Partial<Webhook>): Promise<boolean> {
  const rows = await db.update(webhooks).set(row).where(which).returning({ id: webhooks.id });
  return rows.length > 0;
}
