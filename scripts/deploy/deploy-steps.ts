import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build, WORKER_CONFIG } from "../build/build.ts";
import { openDatabase, wrangler } from "../ops/database.ts";
import { allRight, configurationOf, demoRows, deployment, secretsIn, wrongIn } from "../ops/doctor.ts";
import { type DeploymentSecrets, readSecrets } from "../ops/files.ts";
import { operateWithin } from "../ops/operate.ts";
import { ROOT } from "../project-files.ts";
import type { Environment } from "./environment-names.ts";
import type { Step } from "./steps.ts";
import { wranglerConfig } from "./wrangler-config.ts";

/** The options of `npm run deploy`. */
export interface Order {
  readonly environment: Environment;
  /** The file of the secrets, as `ops secrets` wrote it. */
  readonly secrets: string | undefined;
  /** A booking fed for tests, for a whole transfer at the end. */
  readonly booking: { readonly locator: string; readonly surname: string } | undefined;
}

/** The steps of a deployment, in the order in which each leaves least behind where it fails. */
export const deploySteps = (order: Order): readonly Step[] => [
  configuration(order),
  secretFile(order),
  secretsThere(order),
  buildStep,
  uploadRehearsal(order),
  migrations(order),
  upload(order),
  smoke(order),
];

/** What can be done of it without an account, and changes nothing anywhere. */
export const rehearsalSteps = (order: Order): readonly Step[] => [
  ...(order.secrets === undefined ? [] : [secretFile(order)]),
  buildStep,
  uploadRehearsal(order),
];

/** Named, because wrangler would take the configuration of the build, which has no environments. */
const TOML = join(ROOT, "wrangler.toml");
const NOTHING = "Nothing was changed.";

/** What a deployment still lacks, or had better have. */
export const missingIn = async (environment: Environment): Promise<readonly string[]> =>
  (await configurationOf(environment))
    .filter(({ state }) => state !== "ok")
    .map(({ check, detail }) => `${check}: ${detail}`);

const configuration = ({ environment }: Order): Step => ({
  name: "configuration",
  run: async () => allRight(await configurationOf(environment)),
  ifItFails: `${NOTHING} Mend [env.${environment}] of wrangler.toml, then run the same again.`,
});

/** The secrets at hand. Throws where no file was named. */
function secretsOf({ secrets }: Order): DeploymentSecrets {
  if (secrets === undefined) throw new Error("--secrets is missing: the file that `ops secrets` wrote");
  return readSecrets(secrets);
}

const secretFile = (order: Order): Step => ({
  name: "secrets at hand",
  run: async () => allRight(await secretsIn(secretsOf(order))),
  ifItFails: `${NOTHING} docs/operations.md, Changing keys, says how each secret is made.`,
});

const secretsThere = (order: Order): Step => ({
  name: "secrets at the Worker",
  async run() {
    const where = ["--config", TOML, "--env", order.environment];
    const there = JSON.parse(await wrangler(["secret", "list", "--format", "json", ...where])) as readonly {
      readonly name: string;
    }[];
    const missing = Object.keys(secretsOf(order)).filter((name) => !there.some((each) => each.name === name));
    if (missing.length > 0) throw new Error(`the Worker has no ${missing.join(", ")}`);
    return `${there.length} secrets`;
  },
  ifItFails: `${NOTHING} \`npx wrangler secret bulk ${order.secrets} --env ${order.environment}\` puts them there, also before the first deployment.`,
});

const buildStep: Step = { name: "build", run: build, ifItFails: NOTHING };

const uploadRehearsal = ({ environment }: Order): Step => ({
  name: "upload rehearsed",
  async run() {
    const said = await wrangler(["deploy", "--dry-run", "--config", writeUploadConfig(environment)]);
    return /Total Upload: .*/.exec(said)?.[0] ?? "done";
  },
  ifItFails: NOTHING,
});

/** What an environment says for itself. Everything else is the top level's. */
export const OWN = [
  "name",
  "workers_dev",
  "routes",
  "vars",
  "d1_databases",
  "r2_buckets",
  "ratelimits",
  "analytics_engine_datasets",
] as const;

/**
 * Writes the configuration by which the Worker that is built goes to `environment`, beside it; returns its path. So staging
 * and production get the same bytes, and no build of an environment lies where `wrangler dev` looks.
 */
export function writeUploadConfig(environment: Environment): string {
  const built = JSON.parse(readFileSync(WORKER_CONFIG, "utf8")) as Record<string, unknown>;
  const config = wranglerConfig(environment);
  const own = Object.fromEntries(OWN.map((key) => [key, config[key]]));
  const path = join(dirname(WORKER_CONFIG), `wrangler.${environment}.json`);
  writeFileSync(path, JSON.stringify({ ...built, ...own }));
  return path;
}

const migrations = ({ environment }: Order): Step => ({
  name: "migrations",
  async run() {
    const where = ["--config", TOML, "--env", environment];
    const said = await wrangler(["d1", "migrations", "apply", "DB", "--remote", ...where]);
    // With rows of the development data, whose keys are public, no version goes live.
    const { db, close } = await openDatabase({ kind: "remote", environment });
    await demoRows(db).then(allRight).finally(close);
    return /No migrations to apply/.test(said) ? "none were missing" : "applied";
  },
  ifItFails:
    "The version before still runs. Migrations only add, and each file is applied whole or not at all: mend what is said above, then run the same again.",
});

const upload = ({ environment }: Order): Step => ({
  name: "upload",
  async run() {
    await wrangler(["deploy", "--config", writeUploadConfig(environment)]);
    return "live";
  },
  ifItFails:
    "The version before still runs, on the migrations of the new one, which it bears. Run the same again.",
});

/** A new domain takes a while until it is known everywhere. */
const TRIES = 12;
const PAUSE = 10_000;

const smoke = ({ environment, booking }: Order): Step => ({
  name: "smoke",
  async run() {
    const url = originOf(environment);
    for (let left = TRIES; ; left--) {
      const faults = wrongIn(await deployment(url));
      if (faults.length === 0) break;
      if (left === 0) throw new Error(faults.join("\n"));
      await delay(PAUSE);
    }
    if (booking === undefined) return `${url} answers; with --locator and --surname a tag would be written`;
    const where = ["--remote", "--env", environment, "--url", url];
    await operateWithin(["smoke", ...where, "--locator", booking.locator, "--surname", booking.surname]);
    return `${url} wrote and cleared a tag`;
  },
  ifItFails: `The new version is live, and failed. \`npx wrangler rollback --name ${wranglerConfig(environment).name}\` brings the version before back; the migrations stay, which it bears.`,
});

/** The custom domain of an environment. */
const originOf = (environment: Environment) => `https://${wranglerConfig(environment).routes?.[0]?.pattern}`;
