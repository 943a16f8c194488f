import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { D1Database } from "@cloudflare/workers-types";
import { connect, type Db } from "../../db/connect.ts";
import { ROOT } from "../project-files.ts";
import { migrate } from "../serve/migrate.ts";
import { d1OverText, type Row, type RunText } from "./d1-over-text.ts";

/** Where a command's statements go. */
export type Target =
  /** This machine's D1 in the folder `npm start` uses. */
  | { readonly kind: "local"; readonly stateDir: string }
  /** The deployment, through wrangler. */
  | { readonly kind: "remote" }
  /** Nowhere: they are shown, for somebody else to run. */
  | { readonly kind: "print"; readonly print: (line: string) => void };

export interface OpenDatabase {
  readonly db: Db;
  close(): Promise<void>;
}

export async function openDatabase(target: Target): Promise<OpenDatabase> {
  if (target.kind === "local") return openLocal(target.stateDir);
  const run = target.kind === "remote" ? throughWrangler(["--remote"]) : printing(target.print);
  return { db: connect(d1OverText(run)), close: () => Promise.resolve() };
}

async function openLocal(stateDir: string): Promise<OpenDatabase> {
  // Loaded here: every other target does without a runtime.
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const { unstable_readConfig } = await import("wrangler");
  const { d1_databases } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      d1Databases: { DB: d1_databases[0]?.database_id ?? "DB" },
      resourcePersistencePath: resolve(ROOT, stateDir, "v3"),
    }),
  );
  const close = () => miniflare.dispose();
  try {
    const database = (await miniflare.getD1Database("DB")) as unknown as D1Database;
    await migrate(database);
    return { db: connect(database), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const printing =
  (print: (line: string) => void): RunText =>
  (statements) => {
    for (const statement of statements) print(`${statement};`);
    return Promise.resolve(statements.map(() => []));
  };

const BINDING = "DB";
/** An argument of a command may be 128 KiB long on Linux. */
const MOST_TEXT = 100_000;

/** `wrangler d1 execute`, which sends the statements of one call as one transaction. */
export function throughWrangler(where: readonly string[]): RunText {
  return async (statements) => {
    const text = statements.join(";\n");
    if (text.length > MOST_TEXT) throw new TypeError("too much at once: split the file");
    const args = ["d1", "execute", BINDING, ...where, "--yes", "--json", "--command", text];
    const answers = JSON.parse(await wrangler(args)) as readonly { readonly results?: readonly Row[] }[];
    return answers.map(({ results }) => results ?? []);
  };
}

/** What wrangler prints. Throws what it says, without the command, which holds hashes. */
async function wrangler(args: readonly string[]): Promise<string> {
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
