import { toHex } from "../../core/encoding/bytes.ts";
import { type Sealed, sealAudit } from "../audit/sealing.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { countsOf, doublesOf, openDatabase } from "../database/statements.ts";
import type { Deps } from "../http/request.ts";
import type { RunContext } from "./sweep-tasks.ts";
import { type Swept, sweep } from "./sweeper.ts";

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

/** One run as of `now`, milliseconds since 1970. Throws {@link ScheduledRunFailed}, after the line is written. */
export async function runScheduled(deps: Deps, now: number): Promise<void> {
  const { db, calls } = openDatabase(deps.db, "first-primary");
  const started = performance.now();
  const ctx: RunContext = {
    db,
    settings: deps.settings,
    now,
    requestId: toHex(deps.random(16)),
  };
  const swept = await sweep(ctx);
  const { sealed, failures } = await sealAfter(ctx, swept);
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
    sealed,
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

interface RunResult {
  readonly sealed: Sealed | undefined;
  readonly failures: Swept["failures"];
}

/** Seals the log, whatever became of the sweep. */
async function sealAfter(ctx: RunContext, { failures }: Swept): Promise<RunResult> {
  try {
    return { sealed: await sealAudit(ctx), failures };
  } catch (error) {
    return { sealed: undefined, failures: [...failures, { task: "seals", error }] };
  }
}

/** Only the kind of a foreign error: its text may hold anything. */
const kindOf = (error: unknown) => {
  if (isDatabaseUnavailable(error)) return "DatabaseUnavailable";
  return error instanceof Error ? error.name : "?";
};
