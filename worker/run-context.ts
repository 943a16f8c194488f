import type { Settings } from "./config/env.ts";
import type { Db } from "./database/connect.ts";

/** The context of a scheduled run. */
export interface RunContext {
  readonly db: Db;
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly requestId: string;
  /** Milliseconds since the run began. */
  readonly elapsed: () => number;
}

/** Whether the part of the run that begins now has used its time. */
export function partEnds({ elapsed, settings }: Pick<RunContext, "elapsed" | "settings">): () => boolean {
  const end = elapsed() + settings.limits.sweepPartSeconds * 1_000;
  return () => elapsed() >= end;
}
