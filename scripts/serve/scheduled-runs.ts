import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import type { Server } from "./server.ts";

/** A deployment's scheduled runs (wrangler.toml, `triggers`), for a service on this machine. */

/** Every minute in a deployment; a developer who tries webhooks has less patience. */
const WEBHOOKS_EVERY = 5_000;

/** Milliseconds from `now` to the next run of a trigger: each minute, or each so many minutes of the hour. */
export function untilNext(cron: string, now: number): number {
  const [isRead, minutes = "1"] = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(cron) ?? [];
  const step = Number(minutes) * 60_000;
  if (isRead === undefined || HOUR % step !== 0) throw new TypeError(`not a trigger of minutes: ${cron}`);
  return step - (now % step);
}

const HOUR = 3_600_000;

/** Starts the runs of every trigger until the process ends. A run that fails is in the service's log. */
export function runOnSchedule({ schedule }: Pick<Server, "schedule">, crons: readonly string[]): void {
  for (const cron of crons) {
    const wait = () => (cron === WEBHOOK_CRON ? WEBHOOKS_EVERY : untilNext(cron, Date.now()));
    // One run after the other. One that cannot be asked for, as while the server stops, is not missed.
    const run = () => schedule(Date.now(), cron).catch(() => undefined);
    const next = () => void setTimeout(() => void run().then(next), wait()).unref();
    next();
  }
}
