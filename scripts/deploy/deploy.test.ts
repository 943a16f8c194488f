import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { endpoints, limits } from "../../core/api/index.ts";
import { API_PATH, SERVICE_PATHS } from "../../core/api/page-routes.ts";
import { FULL } from "../../core/full.test-support.ts";
import { helpOf, readCommandLine, UsageError, WordsError } from "../../kit/command-line.ts";
import { ROOT } from "../project-files.ts";
import { DEPLOY, deploy } from "./deploy.ts";
import { OWN, writeUploadConfig } from "./deploy-steps.ts";
import { ENVIRONMENTS } from "./environment-names.ts";
import { runSteps } from "./steps.ts";
import { rateLimitBindings, wranglerConfig } from "./wrangler-config.ts";

/** Of the page, but under the airline's name: its first document, which has no name once the slash is cut, and the manifest. */
const BRANDED = ["", "/manifest.webmanifest"];

test("wrangler.toml sends the service's paths to the Worker, and what has the airline's name", () => {
  const { assets } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const paths = [assets?.run_worker_first].flat().map((path) => String(path).replace(/\/\*?$/, ""));
  expect(new Set(paths)).toEqual(new Set([...SERVICE_PATHS, ...BRANDED]));
});

test("every endpoint is below the path of the interface", () => {
  for (const { path } of Object.values(endpoints)) expect(path.startsWith(`${API_PATH}/`)).toBe(true);
});

test("wrangler.toml counts with the numbers of the limits table, each counter for itself", () => {
  const bindings = rateLimitBindings();
  const perMinute = Object.fromEntries(
    Object.entries(bindings).map(([name, { simple }]) => [name, (simple.limit * 60) / simple.period]),
  );
  expect(perMinute).toEqual({
    LOOKUP_LIMIT: limits.lookupsPerSubjectPerMinute,
    NONCE_LIMIT: limits.noncesPerNetworkPerMinute,
    LOGIN_LIMIT: limits.loginsPerNetworkPerMinute,
    FEED_LIMIT: limits.feedsPerSubjectPerMinute,
    READ_LIMIT: limits.readsPerSubjectPerMinute,
    WRITE_LIMIT: limits.writesPerSubjectPerMinute,
    HALL_LIMIT: limits.writesPerNetworkPerMinute,
    HOLDER_LIMIT: limits.writesPerNetworkPerMinute,
  });
  expect(new Set(Object.values(bindings).map(({ namespace_id }) => namespace_id)).size).toBe(8);
});

/** Names of what is bound, with what must be the same everywhere; ids are each environment's own. */
function boundBy(config: ReturnType<typeof wranglerConfig>) {
  const { vars, d1_databases, r2_buckets, ratelimits, analytics_engine_datasets } = config;
  return {
    vars: Object.keys(vars),
    databases: d1_databases.map(({ binding, migrations_dir }) => ({ binding, migrations_dir })),
    buckets: r2_buckets.map(({ binding }) => binding),
    counters: ratelimits.map(({ name, simple }) => ({ name, simple })),
    metrics: analytics_engine_datasets.map(({ binding }) => binding),
  };
}

const without = (config: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(config).filter(([key]) => !names.includes(key)));

/** Members that name the environment, or that only some readings have. */
const READING = ["targetEnvironment", "define", "unsafe", "build"];

it.each(ENVIRONMENTS)("%s is bound to all that the top level is, and differs in nothing else", (name) => {
  const [environment, top] = [wranglerConfig(name), wranglerConfig()];
  expect(boundBy(environment)).toEqual(boundBy(top));
  expect(without(environment, [...OWN, ...READING])).toEqual(without(top, [...OWN, ...READING]));
  expect(environment.vars.ENVIRONMENT).toBe("production");
  expect(environment.workers_dev).toBe(false);
  expect(environment.routes).toEqual([{ pattern: expect.any(String), custom_domain: true }]);
});

it("no two environments share a counter, a database or a name", () => {
  const all = [wranglerConfig(), ...ENVIRONMENTS.map((name) => wranglerConfig(name))];
  const ids = all.flatMap(({ name, ratelimits, d1_databases }) => [
    `Worker ${name}`,
    ...ratelimits.map(({ namespace_id }) => namespace_id),
    ...d1_databases.map(({ database_name }) => `database ${database_name}`),
  ]);
  expect(new Set(ids).size).toBe(ids.length);
});

/** What `npm run deploy` prints, and what it throws. */
async function deployed(...words: string[]) {
  const lines: string[] = [];
  const deploying = async () => deploy(readCommandLine(DEPLOY, words), (line) => lines.push(line));
  const error = await deploying().catch((thrown: Error) => thrown);
  return { output: lines.join("\n"), error };
}

it("a rehearsal without the secrets' file says nothing of them; a wrong file stops it", async () => {
  const { error } = await deployed("staging", "--dry-run", "--secrets", "package.json");
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain("PEPPER: is missing");
});

it("a deployment that is not ready stops before it has asked anybody, and says what to do", async () => {
  const { output, error } = await deployed("production");
  expect(output).toBe("FAILED 1/8 configuration");
  expect(String(error)).toContain("Nothing was changed. Mend [env.production] of wrangler.toml");
  expect(String(error)).toContain(
    "Not done: secrets at hand, secrets at the Worker, build, upload rehearsed, migrations, upload, smoke.",
  );
});

it("words that name no environment are an error of words", async () => {
  for (const words of [
    [],
    ["moon"],
    ["staging", "production"],
    ["staging", "--colour"],
    ["staging", "--secrets", "nowhere"],
  ]) {
    const { output, error } = await deployed(...words);
    expect([output, error]).toEqual(["", expect.any(WordsError)]);
  }
  expect(String((await deployed("moon")).error)).toContain("moon is no environment: staging, production");
  expect(helpOf(DEPLOY)).toContain("npm run deploy -- staging|production");
});

it("a step that fails ends the run, with what was done and where things stand", async () => {
  const [done, lines]: [string[], string[]] = [[], []];
  const step = (name: string, outcome: () => string) => ({
    name,
    run: async () => {
      done.push(name);
      return outcome();
    },
    ifItFails: `${name} can be repeated.`,
  });
  const steps = [
    step("first", () => "fine"),
    step("second", () => {
      throw new Error("no network");
    }),
    step("third", () => "never"),
  ];
  await expect(runSteps(steps, (line) => lines.push(line))).rejects.toThrow(
    "no network\nsecond can be repeated.\nNot done: third.",
  );
  expect([done, lines]).toEqual([
    ["first", "second"],
    ["ok     1/3 first: fine", "FAILED 2/3 second"],
  ]);
});

/** It builds, and starts wrangler. */
it.skipIf(!FULL)("the rehearsal of a deployment builds, and uploads nothing", async () => {
  const { output } = await deployed("staging", "--dry-run");
  expect(output).toMatch(/^ok +1\/2 build: \w+$/m);
  expect(output).toMatch(/^ok +2\/2 upload rehearsed: Total Upload: .* gzip/m);
  expect(output).toContain("TO DO  wrangler.toml: database_id is the placeholder");
  expect(output).toContain("rehearsed: staging was not touched");
  const uploaded = JSON.parse(readFileSync(writeUploadConfig("staging"), "utf8")) as object;
  expect(uploaded).toMatchObject({ name: "taglatch-staging", workers_dev: false, no_bundle: true });
});
