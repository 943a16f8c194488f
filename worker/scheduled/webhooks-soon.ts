import { and, gte, isNull } from "drizzle-orm";
import { webhooks } from "../../db/schema.ts";
import type { Deliveries, IsolateCache } from "../context.ts";
import { openDatabase } from "../database/connect.ts";
import type { Deps } from "../http/request.ts";
import { runWebhooksSoon } from "../webhooks/webhooks.ts";
import { reported } from "./scheduled-run.ts";

/**
 * Sends what a request has caused as soon as it is answered; what is missed, the next scheduled run sends. An isolate does one
 * such run at a time, whatever the number of its requests, and a webhook has one turn a second of all isolates together.
 */

const MINUTE = 60_000;
/** A request lives thirty seconds after its answer: so long it begins runs. */
const BEGINS = 8_000;
/** Until then it has ended, or was killed. */
const LIFE = 30_000;
/** A run beside requests must not use up what D1 and the platform allow a request. */
const MOST = {
  webhookStatementsPerRun: 150,
  webhookMessagesPerRun: 100,
  webhookRunSeconds: 8,
  webhookTurnSeconds: 8,
};

export async function deliverSoon(deps: Deps, isolate: IsolateCache): Promise<void> {
  const now = deps.clock();
  isolate.deliveries ??= { hasListeners: false, readUntil: 0, busyUntil: 0, isNew: false };
  const { deliveries } = isolate;
  deliveries.isNew = true;
  if (deliveries.busyUntil > now) return;
  deliveries.busyUntil = now + LIFE;
  try {
    await readListeners(deps, deliveries, now);
    const began = performance.now();
    while (deliveries.hasListeners && deliveries.isNew && performance.now() - began < BEGINS)
      await runOnce(deps, deliveries);
  } finally {
    // In the step in which nothing more was new, so that a later request begins.
    deliveries.busyUntil = 0;
  }
}

async function readListeners(deps: Deps, deliveries: Deliveries, now: number): Promise<void> {
  if (now < deliveries.readUntil) return;
  const { db } = openDatabase(deps.db, "first-primary");
  const first = db.select({ id: webhooks.id }).from(webhooks);
  const rows = await first.where(and(isNull(webhooks.stoppedAt), gte(webhooks.dueAt, 0))).limit(1);
  deliveries.hasListeners = rows.length > 0;
  deliveries.readUntil = now + MINUTE;
}

async function runOnce(deps: Deps, deliveries: Deliveries): Promise<void> {
  const pace = deps.settings.limits.webhookPaceMilliseconds;
  deliveries.isNew = false;
  await reported(deps, "webhooks", deps.clock(), async (ctx) => {
    const settings = { ...ctx.settings, limits: { ...ctx.settings.limits, ...MOST } };
    const run = { ...ctx, settings, fetcher: deps.fetcher, pace };
    const { isWaiting, events, failed, stopped } = await runWebhooksSoon(run);
    if (isWaiting) deliveries.isNew = true;
    return { failures: [], facts: { events, failed, stopped }, isQuiet: events + failed === 0 };
  });
  // Until the next turn, or the end of another isolate's run.
  if (deliveries.isNew) await new Promise<void>((resolve) => setTimeout(resolve, pace));
}
