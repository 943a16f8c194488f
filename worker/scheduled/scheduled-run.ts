import { toHex } from "../../core/encoding/bytes.ts";
import type { AuditStore } from "../../db/audit-range.ts";
import { archiveDue } from "../audit/archive.ts";
import { sealAudit } from "../audit/sealing.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { countsOf, doublesOf, openDatabase } from "../database/statements.ts";
import type { Deps } from "../http/request.ts";
import { readLateness } from "./lateness.ts";
import type { RunContext } from "./sweep-tasks.ts";
import { sweep } from "./sweeper.ts";

/**
 * A scheduled run (wrangler.toml, `triggers`): removes what has ended, seals the audit log, logs one line.
 */

/**
 * A run in which something failed: the platform shows it as failed. The log line says what failed and where.
 */
export class ScheduledRunFailed extends Error {
  override readonly name = "ScheduledRunFailed";
  constructor(tasks: readonly string[], cause: unknown) {
    super(`failed: ${tasks.join(", ")}`, { cause });
  }
}

/**
 * One run as of `now`, milliseconds since 1970; `archive` takes the old audit log. Throws {@link ScheduledRunFailed}, after the line is
 * written.
 */
export async function runScheduled(deps: Deps, now: number, archive?: AuditStore): Promise<void> {
  const { db, calls } = openDatabase(deps.db, "first-primary");
  const started = performance.now();
  const ctx: RunContext = {
    db,
    settings: deps.settings,
    now,
    requestId: toHex(deps.random(16)),
    elapsed: () => performance.now() - started,
  };
  const { swept, failures, ...others } = await everyPart(ctx, archive);
  const milliseconds = performance.now() - started;
  deps.log({
    at: new Date(now).toISOString(),
    requestId: ctx.requestId,
    route: "scheduled",
    status: failures.length === 0 ? 200 : 500,
    milliseconds: Math.round(milliseconds),
    ...countsOf(calls),
    swept: swept.rows,
    unfinished: swept.unfinished,
    ...others,
    ...(failures.length === 0
      ? {}
      : { failures: failures.map(({ task, error }) => ({ task, cause: kindOf(error) })) }),
  });
  deps.metrics?.writeDataPoint({
    indexes: ["scheduled"],
    blobs: ["scheduled", "", failures.length === 0 ? "200" : "500", "", ""],
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
  const part = async <T>(task: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      failures.push({ task, error });
      return undefined;
    }
  };
  const sealed = await part("seals", () => sealAudit(ctx));
  const archived = archive && (await part("archive", () => archiveDue(ctx, archive)));
  const behind = await part("lateness", () => readLateness(ctx.db, ctx.now, ctx.settings));
  return { swept, sealed, archived, behind, failures };
}

/** Only the kind of a foreign error: its text may hold anything. */
const kindOf = (error: unknown) => {
  if (isDatabaseUnavailable(error)) return "DatabaseUnavailable";
  return error instanceof Error ? error.name : "?";
};
