import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { D1Database } from "@cloudflare/workers-types";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { connect, type Db } from "../../worker/database/connect.ts";
import type { Environment } from "../deploy/environment-names.ts";
import type { WranglerConfig } from "../deploy/wrangler-config.ts";
import { ROOT } from "../project-files.ts";
import { migrate } from "../serve/migrate.ts";
import { type Running, runningServices } from "../serve/state.ts";
import { type Archive, remoteBucket } from "./archive-stores.ts";
import { d1OverText, type RunText } from "./d1-over-text.ts";
import type { Row } from "./show.ts";

/** Together some eight seconds: longer than any batch of the service. workerd writes a line at each. */
const TRIES = 12;
const PAUSE = 100;

/**
 * Asks this machine's D1 beside a running `npm start`: two processes share a file, and SQLite lets one write at a time. Who
 * finds it taken has done nothing, so it is asked again. A deployment's database queues its callers itself.
 */
async function untilFree<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !isTaken(error)) throw error;
      await delay(PAUSE * (TRIES - left + 1));
    }
  }
}

/** workerd says SQLITE_BUSY in its own log, and hands over "internal error" with a reference. */
const isTaken = (error: unknown) => /SQLITE_BUSY|internal error; reference/.test(String(error));

/** Where a command's statements go. */
export type Target =
  /** This machine's D1 in a folder; without one, that of the service that runs here, at `port` if there are several. */
  | { readonly kind: "local"; readonly stateDir?: string | undefined; readonly port?: string | undefined }
  /** The deployment, through wrangler: an environment of wrangler.toml, or its top level. */
  | { readonly kind: "remote"; readonly environment?: Environment | undefined };

export interface OpenDatabase {
  readonly db: Db;
  /** Whose it is, for the person who typed the command. */
  readonly name: string;
  /** The bucket of the audit log, where wrangler.toml binds one. */
  readonly archive?: Archive | undefined;
  close(): Promise<void>;
}

export async function openDatabase(target: Target): Promise<OpenDatabase> {
  if (target.kind === "local") return openLocal(stateDirOf(target, runningServices()));
  const { environment } = target;
  const config = await configured(environment);
  const database = config.d1_databases[0];
  const { bucket_name, jurisdiction } = archiveIn(config) ?? {};
  const archive =
    bucket_name === undefined ? undefined : remoteBucket({ bucket_name, jurisdiction }, wrangler);
  const run =
    (database?.database_id ?? PLACEHOLDER) === PLACEHOLDER
      ? noDatabase(environment)
      : throughWrangler(["--remote", ...inEnvironment(environment)]);
  const name = `${database?.database_name}, the deployment's${environment === undefined ? "" : ` (${environment})`}`;
  return { db: connect(d1OverText(run)), name, archive, close: () => Promise.resolve() };
}

/** Said at the first statement: words that are wrong are said before. */
const noDatabase =
  (environment: Environment | undefined): RunText =>
  () =>
    Promise.reject(
      new UsageError(
        environment === undefined
          ? "the top level of wrangler.toml has no database: say --env production or --env staging"
          : `[env.${environment}] of wrangler.toml has no database: put in the id of \`wrangler d1 create\``,
      ),
    );

/** The folder of this machine's database. Throws WordsError where several could be meant. */
export function stateDirOf(
  { stateDir, port }: Extract<Target, { kind: "local" }>,
  running: readonly Running[],
): string {
  if (stateDir !== undefined) return resolve(ROOT, stateDir);
  const meant = running.filter((service) => port === undefined || String(service.port) === port);
  const [folder = resolve(ROOT, ".wrangler/state"), ...others] = new Set(meant.map((each) => each.stateDir));
  if (others.length === 0) return folder;
  const ports = meant.map((each) => `PORT=${each.port}`).join(" or ");
  throw new WordsError(`several services run on this machine: say --state, or ${ports} before the command`);
}

async function openLocal(stateDir: string): Promise<OpenDatabase> {
  if (!existsSync(join(stateDir, "v3/d1")))
    throw new UsageError(
      `there is no database in ${stateDir}: \`npm start\` makes one, --state names another folder, --remote means the deployment's`,
    );
  // Loaded here: every other target does without a runtime.
  const { bareRuntime, databaseOf } = await import("../serve/bare-runtime.ts");
  const config = await configured();
  const archive = archiveIn(config);
  const miniflare = bareRuntime({
    d1Databases: { DB: config.d1_databases[0]?.database_id ?? "DB" },
    r2Buckets: archive === undefined ? {} : { ARCHIVE: archive.bucket_name ?? "ARCHIVE" },
    resourcePersistencePath: join(stateDir, "v3"),
  });
  const close = () => miniflare.dispose();
  try {
    const d1 = d1OverText(onThisMachine(await databaseOf(miniflare)));
    await migrate(d1);
    const bucket = archive && (await miniflare.getR2Bucket("ARCHIVE"));
    const get = async (name: string) => (await bucket?.get(name))?.text();
    return { db: connect(d1), name: `this machine's, ${stateDir}`, archive: bucket && { get }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const onThisMachine =
  (d1: D1Database): RunText =>
  (statements) =>
    untilFree(() => d1.batch<Row>(statements.map((statement) => d1.prepare(statement))));

/** What stands in wrangler.toml until there is a database. */
export const PLACEHOLDER = "00000000-0000-0000-0000-000000000000";

/** Words that name an environment to wrangler. */
export const inEnvironment = (environment: Environment | undefined): readonly string[] =>
  environment === undefined ? [] : ["--env", environment];

/** wrangler.toml of an environment, or of its top level. */
export async function configured(environment?: Environment) {
  // Loaded here: it takes wrangler, and most commands do without.
  return (await import("../deploy/wrangler-config.ts")).wranglerConfig(environment);
}

export const archiveIn = ({ r2_buckets }: WranglerConfig) =>
  r2_buckets.find(({ binding }) => binding === "ARCHIVE");

const BINDING = "DB";
/** An argument of a command may be 128 KiB long on Linux. */
const MOST_TEXT = 100_000;

/** `wrangler d1 execute`, which sends the statements of one call as one transaction. */
export function throughWrangler(where: readonly string[]): RunText {
  return async (statements) => {
    const text = statements.join(";\n");
    if (text.length > MOST_TEXT) throw new TypeError("too much at once: split the file");
    const args = ["d1", "execute", BINDING, ...where, "--yes", "--json", "--command", text];
    return JSON.parse(await wrangler(args));
  };
}

/** The region that the deployment's database is bound to; null where it may be anywhere. */
export async function jurisdictionOf(environment: Environment | undefined): Promise<string | null> {
  const info = await wrangler(["d1", "info", BINDING, ...inEnvironment(environment), "--json"]);
  return (JSON.parse(info) as { readonly jurisdiction?: string | null }).jurisdiction ?? null;
}

/** Runs wrangler; what it prints. Throws what it says, without the command, which holds hashes. */
export async function wrangler(args: readonly string[]): Promise<string> {
  try {
    // wrangler logs its answer: the quieter log level of the project's scripts would hide it.
    const env = { ...process.env, WRANGLER_LOG: "log" };
    const { stdout } = await promisify(execFile)("wrangler", args, { cwd: ROOT, env, maxBuffer: 2 ** 28 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(stderr || stdout || "wrangler could not be run");
  }
}
