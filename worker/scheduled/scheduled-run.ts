import { archiveDue } from "../audit/seals/archive.ts";
import type { AuditStore } from "../audit/seals/range.ts";
import { sealAudit } from "../audit/seals/sealing.ts";
import { countsOf, doublesOf, openDatabase } from "../database/connect.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import type { Deps } from "../http/request.ts";
import { newRequestId } from "../http/request.ts";
import { readLateness } from "../lateness.ts";
import type { RunContext } from "../run-context.ts";
import { sendReminders } from "../tracing/reminder.ts";
import { runWebhooks } from "../webhooks/webhooks.ts";
import { sweep } from "./sweeper.ts";

/**
 * A scheduled run (wrangler.toml, `triggers`): removes what has ended, seals the audit log, logs one line.
 */

/**
 * A run in which something failed: the platform shows it as failed. The log line names what failed and where.
 */
export class ScheduledRunFailed extends Error {
  override readonly name = "ScheduledRunFailed";
  constructor(tasks: readonly string[], cause: unknown) {
    super(`failed: ${tasks.join(", ")}`, { cause });
  }
}

/**
 * One run as of `now`, milliseconds since 1970; `archive` stores the old audit log. Throws {@link ScheduledRunFailed},
 * after the line is written.
 */
export async function runScheduled(deps: Deps, now: number, archive?: AuditStore): Promise<void> {
  await reported(deps, "scheduled", now, async (ctx) => {
    const { swept, failures, ...others } = await everyPart(ctx, archive);
    return { failures, facts: { swept: swept.rows, unfinished: swept.unfinished, ...others } };
  });
}

/** One run of what is sent to others: webhooks, then reminders. A listener that fails does not fail the run. */
export async function runScheduledWebhooks(deps: RunDeps, now: number, fetcher: typeof fetch): Promise<void> {
  await reported(deps, "webhooks", now, async (ctx) => {
    const failures: { task: string; error: unknown }[] = [];
    const part = partOf(failures);
    const delivered = await part("webhooks", () => runWebhooks({ ...ctx, fetcher }));
    const reminders = await part("reminders", () => sendReminders({ ...ctx, fetcher }));
    return { failures, facts: { ...delivered, reminders } };
  });
}

export type RunDeps = Pick<Deps, "db" | "settings" | "random" | "log" | "metrics">;

interface Report {
  /** Set where nothing was done that a log line could show. */
  readonly isQuiet?: boolean;
  readonly failures: readonly { readonly task: string; readonly error: unknown }[];
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A run with its log line and its data point. */
export async function reported(
  deps: RunDeps,
  route: string,
  now: number,
  work: (ctx: RunContext) => Promise<Report>,
): Promise<void> {
  const { db, calls } = openDatabase(deps.db, "first-primary");
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  const requestId = newRequestId(deps.random);
  const { failures, facts, isQuiet } = await work({ db, settings: deps.settings, now, requestId, elapsed });
  if (isQuiet) return;
  const milliseconds = elapsed();
  const status = failures.length === 0 ? 200 : 500;
  deps.log({
    at: new Date(now).toISOString(),
    requestId,
    route,
    status,
    milliseconds: Math.round(milliseconds),
    ...countsOf(calls),
    ...facts,
    ...(failures.length === 0
      ? {}
      : { failures: failures.map(({ task, error }) => ({ task, cause: kindOf(error) })) }),
  });
  deps.metrics?.writeDataPoint({
    indexes: [route],
    blobs: [route, "", String(status), "", ""],
    doubles: doublesOf(milliseconds, calls),
  });
  const [first] = failures;
  if (first !== undefined) {
    throw new ScheduledRunFailed(
      failures.map(({ task }) => task),
      first.error,
    );
  }
}

/** Each part of the run, whatever became of the others. */
async function everyPart(ctx: RunContext, archive: AuditStore | undefined) {
  const swept = await sweep(ctx);
  const failures = [...swept.failures];
  const part = partOf(failures);
  const sealed = await part("seals", () => sealAudit(ctx));
  const archived = archive && (await part("archive", () => archiveDue(ctx, archive)));
  const behind = await part("lateness", () => readLateness(ctx.db, ctx.now, ctx.settings));
  return { swept, sealed, archived, behind, failures };
}

/** Does `work`, and lists its failure. */
const partOf =
  (failures: { task: string; error: unknown }[]) =>
  async <T>(task: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      failures.push({ task, error });
      return undefined;
    }
  };

/** Only the kind of a foreign error: its text may hold anything. */
const kindOf = (error: unknown) => {
  if (isDatabaseUnavailable(error)) return "DatabaseUnavailable";
  return error instanceof Error ? error.name : "?";
};
