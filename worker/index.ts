import { errorStatus, WEBHOOK_CRON } from "../core/api/index.ts";
import type { Bytes } from "../core/encoding/bytes.ts";
import { createApp } from "./app.ts";
import { bucketStore } from "./audit/seals/archive.ts";
import { createHostKeys, hostKeyRules } from "./auth/host-keys.ts";
import { rateLimitsOf } from "./auth/rate-limits.ts";
import { type Bindings, readSettings } from "./config/env.ts";
import { noCalls } from "./database/connect.ts";
import { asApiError, errorAnswer } from "./http/error-answer.ts";
import { type Deps, newRequestId, requestLine } from "./http/request.ts";
import { runScheduled, runScheduledWebhooks } from "./scheduled/scheduled-run.ts";

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));
const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });
const fetcher: typeof fetch = (...request) => fetch(...request);
const log = (line: Readonly<Record<string, unknown>>) => console.log(JSON.stringify(line));

interface Service {
  readonly deps: Deps;
  readonly app: ReturnType<typeof createApp>;
}

/** One service per set of bindings: keys are imported once, not per request. */
const services = new WeakMap<Bindings, Promise<Service>>();

function serviceOf(bindings: Bindings): Promise<Service> {
  const known = services.get(bindings);
  if (known !== undefined) return known;
  const starting = start(bindings);
  services.set(bindings, starting);
  return starting;
}

async function start(bindings: Bindings): Promise<Service> {
  const settings = await readSettings(bindings);
  const deps: Deps = {
    db: bindings.DB,
    settings,
    clock: () => Date.now(),
    random,
    wait,
    hostKeys: createHostKeys({ fetcher, ...hostKeyRules(settings) }),
    fetcher,
    assets: bindings.ASSETS,
    rateLimits: rateLimitsOf(bindings),
    metrics: bindings.METRICS,
    outcomeCounts: bindings.OUTCOME_COUNTS,
    log,
  };
  return { deps, app: createApp(deps) };
}

export default {
  async fetch(request, bindings, execution) {
    try {
      const { app } = await serviceOf(bindings);
      return await app.fetch(request, execution);
    } catch (error) {
      return notStarted(request, error);
    }
  },

  async scheduled({ scheduledTime, cron }, bindings) {
    const service = await serviceOf(bindings).catch((error: unknown) => {
      logFailure({ method: "", route: "scheduled" }, error);
      throw error;
    });
    if (cron === WEBHOOK_CRON) {
      await runScheduledWebhooks(service.deps, scheduledTime, fetcher);
      return;
    }
    await runScheduled(service.deps, scheduledTime, bindings.ARCHIVE && bucketStore(bindings.ARCHIVE));
  },
} satisfies ExportedHandler<Bindings>;

/** The answer of a Worker that is not configured. */
function notStarted({ method }: Request, error: unknown): Response {
  const response = errorAnswer(error);
  response.headers.set("X-Request-Id", logFailure({ method, route: "other" }, error));
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/**
 * The log line of a request or run that found no service; it names what is missing. Returns the id it is
 * logged under.
 */
function logFailure(request: { readonly method: string; readonly route: string }, error: unknown): string {
  const requestId = newRequestId(random);
  const refusal = asApiError(error);
  const facts = {
    at: Date.now(),
    requestId,
    status: errorStatus(refusal.code),
    milliseconds: 0,
    calls: noCalls(),
  };
  log(requestLine({ ...request, ...facts }, refusal));
  return requestId;
}
