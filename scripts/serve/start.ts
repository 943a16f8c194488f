import { resolve } from "node:path";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { runCommand } from "../../kit/command-line.ts";
import { ROOT } from "../project-files.ts";
import { chosenPort, requireFree } from "./port.ts";
import type { Server } from "./server.ts";
import { endOnKnownFailure, STATE_DIR } from "./start-failure.ts";
import { announce, lockStateDir } from "./state.ts";

/**
 * The service's log for the eyes of a developer: one short line a request. `LOG=json` shows the lines as a deployment
 * writes them (worker/http/request.ts).
 */

/** `POST /v2/ebt-unlocks 403 12 ms not_lock_holder`; a line that is not the service's own stays as it is. */
export function requestText(line: string): string {
  const { method, route, status, milliseconds, errorCode, reason, cause, stack } = parsed(line);
  if (route === undefined || status === undefined) return line;
  const head = [method, route, status, `${milliseconds ?? 0} ms`, errorCode, reason && `(${reason})`];
  return [head.filter(Boolean).join(" "), ...(cause === undefined ? [] : [cause, ...(stack ?? [])])].join(
    "\n",
  );
}

/** The members of a line of the service; none of plain text from something below it. */
function parsed(line: string) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** A deployment's scheduled runs (wrangler.toml, `triggers`), for a service on this machine: milliseconds between two. */
const RUNS_EVERY = 300_000;
/** Every minute in a deployment; a developer who tries webhooks has less patience. */
const WEBHOOKS_EVERY = 5_000;

/** Starts the runs of every trigger until the process ends. A run that fails is in the service's log. */
export function runOnSchedule({ schedule }: Pick<Server, "schedule">, crons: readonly string[]): void {
  for (const cron of crons) {
    const wait = cron === WEBHOOK_CRON ? WEBHOOKS_EVERY : RUNS_EVERY;
    // One run after the other. One that cannot be asked for, as while the server stops, is not missed.
    const run = () => schedule(Date.now(), cron).catch(() => undefined);
    const next = () => void setTimeout(() => void run().then(next), wait).unref();
    next();
  }
}

const START = {
  usage: `npm start: builds, migrates, seeds and serves on this machine. It takes no options, but from the environment:
  PORT=8788 STATE_DIR=.wrangler/state-2   another port, another folder for the database
  HOST=0.0.0.0                            for other machines too
  LOG=json                                logs as a deployment does
  VAR_NAME=value                          the Worker's var NAME for this run`,
  options: {},
};

/** VAR_NAME=value in the environment overrides the Worker's var NAME for this run. */
const vars = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("VAR_") && value !== undefined ? [[name.slice("VAR_".length), value]] : [],
  ),
);

/** The line of a run that had nothing to send. */
const IDLE = /"route":"webhooks",.*"events":0,"failed":0/;
async function start(): Promise<void> {
  const port = chosenPort();
  const host = process.env.HOST || "localhost";
  try {
    // Before the runtime is loaded, so that a folder in use and a taken port are reported at once.
    lockStateDir(STATE_DIR);
    await requireFree(host, port);
    const { startServer } = await import("./server.ts");
    const server = await startServer({
      port,
      host,
      vars,
      log: (line) => {
        if (!IDLE.test(line)) console.error(process.env.LOG === "json" ? line : requestText(line));
      },
      stateDir: STATE_DIR,
    });
    announce({ port: Number(new URL(server.url).port), stateDir: resolve(ROOT, STATE_DIR) });
    // Loaded here: it takes wrangler, as the server does.
    const { wranglerConfig } = await import("../deploy/wrangler-config.ts");
    runOnSchedule(server, wranglerConfig().triggers.crons ?? []);
    const at = (path: string) => `${server.url}${path}`;
    console.log(
      `ready ${server.url}  virtual tags ${at("/?sim")}  interface ${at("/docs")}  kiosk ${at("/kiosk/setup?sim")}`,
    );
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => void server.stop().then(() => process.exit(0)));
    }
  } catch (error) {
    endOnKnownFailure(error, "npm start");
  }
}

if (import.meta.main) await runCommand(START, start);
