import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import worker from "../index.ts";
import { recorded } from "./query-plans.ts";

/** The Worker's own `scheduled()`, once, with `vars` over the bindings; the one line it logs. */
export async function scheduledRun(
  scheduledTime: number,
  vars: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const bindings = { ...env, DB: recorded(env.DB), ...vars };
    await worker.scheduled(createScheduledController({ scheduledTime, cron: "*/5 * * * *" }), bindings);
    expect(log).toHaveBeenCalledTimes(1);
    return JSON.parse(String(log.mock.calls[0]?.[0]));
  } finally {
    log.mockRestore();
  }
}
