import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isNull } from "drizzle-orm";
import { travelPlans } from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import { connect } from "../../worker/database/connect.ts";
import { open } from "../../worker/secrets/sealed.ts";
import type { Environment } from "../deploy/environment-names.ts";
import { runSteps, type Step } from "../deploy/steps.ts";
import { wranglerConfig } from "../deploy/wrangler-config.ts";
import { type Server, startServer } from "../serve/server.ts";
import { verifySeals } from "./audit.ts";
import type { Context } from "./command.ts";
import { wrangler } from "./database.ts";
import { allRight, deployment, secretsIn } from "./doctor.ts";
import { type DeploymentSecrets, dataKeyIn } from "./files.ts";
import { asLines, saidBy } from "./show.ts";
import { runSmoke } from "./smoke-run.ts";

const GOES_ON = "The deployment was not touched. Until this passes, the export is no backup.";

interface Drill extends Readonly<Record<"archive" | "expect" | "locator" | "surname", string | undefined>> {
  readonly file: readonly string[];
  readonly env: Environment | undefined;
}

/** Runs every step until one fails. Throws UsageError where one did. */
export async function runRestoreDrill(values: Drill, context: Context): Promise<void> {
  const began = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "taglatch-drill-"));
  let server: Server | undefined;
  const served = () => {
    if (server === undefined) throw new TypeError("served comes before what asks it");
    return server;
  };
  const secrets = context.secrets();
  const vars = varsOf(values.env);
  const logged: string[] = [];
  const serve = async () => {
    const log = (line: string) => void logged.push(line);
    server = await startServer({ port: 0, stateDir: folder, foreign: { ...vars, ...secrets }, log });
    return healthy(server.url, logged);
  };
  const steps = [
    step("secrets", async () => allRight(await secretsIn(secrets))),
    step("import", () => imported(values.file, folder)),
    step("serve", serve),
    step("seals", () => sealsHold(values, context, served())),
    step("names", () => namesOpen(secrets, served())),
    ...transfer(values, served),
  ];
  try {
    await runSteps(steps, context.print);
  } finally {
    await server?.stop();
    // It held everybody's names, if sealed.
    await rm(folder, { recursive: true, force: true });
  }
  context.print(`restored and serving in ${Math.round((performance.now() - began) / 1_000)} s`);
}

/** A step, with the time it took. */
const step = (name: string, doing: () => Promise<string>): Step => ({
  name,
  async run() {
    const started = performance.now();
    const found = await doing();
    return `${found}, ${((performance.now() - started) / 1_000).toFixed(1)} s`;
  },
  ifItFails: GOES_ON,
});

/** Without an environment those of the top level, as wrangler takes them. */
function varsOf(environment: Environment | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(wranglerConfig(environment).vars).map(([name, value]) => [name, String(value)]),
  );
}

async function imported(files: readonly string[], stateDir: string): Promise<string> {
  const where = ["--local", "--persist-to", stateDir];
  for (const file of files) {
    await wrangler(["d1", "execute", "DB", ...where, "--yes", "--file", resolve(file)]).catch(inOrder);
  }
  return `${files.length} files`;
}

/** Rows before their tables are the commonest fault, and SQLite's words do not say so. */
function inOrder(error: unknown): never {
  if (/no such table/.test(String(error)))
    throw new UsageError("rows of a table that is not there: give the file of --no-data first");
  throw error;
}

/** /healthz is 200 only if every migration of this build is there. Where it is not, the log says why. */
async function healthy(url: string, logged: readonly string[]): Promise<string> {
  const wrong = (await deployment(url)).find(({ state }) => state === "FAIL");
  if (wrong === undefined) return "answers, with every migration";
  // The line comes through another pipe than the answer.
  for (let left = 40; logged.length === 0 && left > 0; left--) await delay(50);
  throw new UsageError([`${wrong.check} ${wrong.detail}`, ...logged.slice(-1)].join("\n"));
}

async function sealsHold(values: Drill, { secrets }: Context, { database }: Server): Promise<string> {
  const here = { db: connect(database), archive: undefined, secrets };
  return (await saidBy((print) => verifySeals(values, { ...here, print }))).join("; ");
}

const ENOUGH = 1_000;

/** Data and secrets belong together only where what is sealed opens. */
async function namesOpen(secrets: DeploymentSecrets, { database }: Server): Promise<string> {
  const key = await dataKeyIn(secrets);
  const plans = await connect(database)
    .select()
    .from(travelPlans)
    .where(isNull(travelPlans.erasedAt))
    .limit(ENOUGH);
  for (const { id, locatorSealed } of plans) {
    await open(key, { field: "locator", id }, locatorSealed).catch(() => {
      throw new UsageError(
        "a record locator does not open: DATA_KEY is another deployment's, or an older one",
      );
    });
  }
  return `${plans.length} bookings open`;
}

function transfer({ locator, surname }: Drill, served: () => Server): readonly Step[] {
  if (locator === undefined || surname === undefined) return [];
  const smoked = async () => {
    const { url, database } = served();
    const test = { url, locator, surname, "client-key": undefined };
    const db = connect(database);
    await saidBy((print) => runSmoke(test, { db, show: (rows) => asLines(rows).forEach(print) }));
    return "a tag was written and cleared";
  };
  return [step("transfer", smoked)];
}
