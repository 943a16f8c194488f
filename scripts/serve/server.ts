/**
 * The built service on this machine: workerd with D1 in a folder, migrated and seeded. What `npm start`,
 * `npm run demo` and the end-to-end tests have in common.
 */
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { seed } from "../../db/demo/seed.ts";
import { connect } from "../../worker/database/connect.ts";
import { build, WORKER_CONFIG } from "../build/build.ts";
import { projectText, ROOT } from "../project-files.ts";
import { bareRuntime, databaseOf } from "./bare-runtime.ts";
import { writeDevVars } from "./keys.ts";
import { migrate } from "./migrate.ts";
import { requireFree } from "./port.ts";
import { portTaken } from "./start-failure.ts";
import { openStateDir } from "./state.ts";

export interface ServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
  /** Where D1 keeps its files: wrangler's own layout, so `wrangler dev --persist-to` shows the same. */
  readonly stateDir: string;
  /** Vars over those of .dev.vars. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Takes what the Worker logs, a line at a time; without it nothing is kept. */
  readonly log?: (line: string) => void;
  /** Without the platform's rate limits, which a deployment may leave out. */
  readonly unlimited?: boolean;
  /** The text of another Worker over the same data, in the place of ours. */
  readonly script?: string;
  /** Secrets and vars of another deployment, in place of ours. Its data is neither migrated nor seeded. */
  readonly foreign?: Secrets;
}

export interface Server {
  readonly url: string;
  /** The database behind it, for what a bench or a test puts there itself. */
  readonly database: D1Database;
  /** One scheduled run, as if at `now` (milliseconds since 1970); its line is in the log. `cron` says which. */
  schedule(now: number, cron?: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Builds when needed, migrates, seeds (journeys move to tomorrow) and serves. Throws StartFailure where a person
 * can remove the reason that it cannot.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const host = options.host ?? "localhost";
  if (options.port !== 0) await requireFree(host, options.port);
  openStateDir(options.stateDir);
  await build();
  const secrets = options.foreign ?? readSecrets();
  const runtime = workerOptions({ ...options, host }, { ...secrets, ...options.vars });
  const miniflare = new Miniflare(runtime);
  const stop = () => miniflare.dispose();
  try {
    const url = await miniflare.ready;
    const database = await (options.foreign === undefined ? fill(miniflare, secrets) : databaseOf(miniflare));
    const schedule = async (now: number, cron = "") => {
      const worker = await miniflare.getWorker();
      const { outcome } = await worker.scheduled({ scheduledTime: new Date(now), cron });
      if (outcome !== "ok") throw new Error(`scheduled run: ${outcome}`);
    };
    return { url: url.origin, database, schedule, stop };
  } catch (error) {
    await stop();
    // Another process took the port while the build ran.
    const isTaken = (error as NodeJS.ErrnoException).code === "ERR_ADDRESS_IN_USE";
    throw isTaken ? portTaken(options.port, error) : error;
  }
}

/** Migrates and seeds the database in `stateDir` without serving: for a server that is not ours. */
export async function prepareState(stateDir: string): Promise<void> {
  await writeDevVars(join(ROOT, ".dev.vars"));
  const { d1_databases } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const miniflare = bareRuntime({
    d1Databases: { DB: d1_databases[0]?.database_id ?? "DB" },
    resourcePersistencePath: openStateDir(stateDir),
  });
  try {
    await fill(miniflare, readSecrets());
  } finally {
    await miniflare.dispose();
  }
}

type Secrets = Readonly<Record<string, string | undefined>>;

function readSecrets(): Secrets {
  return parseEnv(projectText(".dev.vars"));
}

/** Migrates and seeds the database of a runtime. */
export async function fill(miniflare: Miniflare, secrets: Secrets): Promise<D1Database> {
  const database = await databaseOf(miniflare);
  await overOpenConnection(() => migrate(database));
  const keys = {
    pepper: fromBase64Url(secrets.PEPPER ?? ""),
    dataKey: fromBase64Url(secrets.DATA_KEY ?? ""),
  };
  await overOpenConnection(() => seed(connect(database), { now: Date.now(), ...keys }));
  return database;
}

/**
 * Miniflare asks workerd over connections that it keeps; on a busy machine workerd closes an idle one just as the next
 * question goes out, which then fails unread. Asked again over another; for work that may be done twice.
 */
export async function overOpenConnection<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 3; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isClosedConnection(error)) throw error;
    }
  }
}

/** Whether undici's "other side closed" is at the bottom of `error`. */
function isClosedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === "UND_ERR_SOCKET" || isClosedConnection(error.cause);
}

/** Every module of the built Worker, its entrance first. */
const modulesOf = (main: string) =>
  [main, ...globSync(join(dirname(main), "assets", "*.js"))].map((path) => ({
    type: "ESModule" as const,
    path,
  }));

/** What wrangler would give Miniflare for the built Worker, with the module and the folders named by us. */
function workerOptions(options: ServerOptions, vars: Secrets) {
  const { workerOptions: built, main } = unstable_getMiniflareWorkerOptions(WORKER_CONFIG);
  if (main === undefined) throw new Error(`${WORKER_CONFIG} names no Worker`);
  const { modulesRules: _, ...rest } = built as typeof built & { bindings: Record<string, unknown> };
  return convertV4MiniflareOptions({
    ...rest,
    rootPath: dirname(main),
    modulesRoot: dirname(main),
    modules:
      options.script === undefined
        ? modulesOf(main)
        : [{ type: "ESModule" as const, path: main, contents: options.script }],
    ...(options.unlimited && { ratelimits: {} }),
    bindings: { ...(options.foreign === undefined && rest.bindings), ...vars } as Record<string, string>,
    host: options.host ?? "localhost",
    port: options.port,
    handleStructuredLogs: ({ message }) => options.log?.(message),
    telemetry: { enabled: false },
    cf: false,
    resourcePersistencePath: openStateDir(options.stateDir),
  });
}
