import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { beforeAll, expect, it } from "vitest";
import type { AuditedEvent } from "../../core/api/index.ts";
import { projectText } from "../project-files.ts";
import { type Server, startServer } from "../serve/server.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { operateWithin } from "./operate.ts";

/** From a service that was used, by way of wrangler's own export, to one that is used again. */

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const secretFile = file("secrets.json");
const BOOKING = ["--locator", "OB1NKE", "--surname", "O'Brien"];
let data: string;

const ops = async (...words: string[]) => (await operateWithin(words)).join("\n");

const drill = (name: string, ...words: string[]) =>
  ops("restore", "drill", "--file", file("schema.sql"), "--file", file(name), "--secrets", ...words);

/** The service is used, and its log is sealed. */
async function use(server: Server): Promise<void> {
  await ops("smoke", "--url", server.url, "--state", file(".wrangler/state"), ...BOOKING);
  await server.schedule(Date.now() + 600_000);
}

beforeAll(async () => {
  // wrangler exports what lies beside the configuration it is given.
  const stateDir = file(".wrangler/state");
  mkdirSync(stateDir, { recursive: true });
  const server = await startServer({ port: 0, stateDir });
  await use(server);
  await server.stop();
  const toml = projectText("wrangler.toml").split("[env.staging]")[0] ?? "";
  writeFileSync(file("wrangler.toml"), toml);
  const parts = { "--no-data": "schema.sql", "--no-schema": "data.sql" };
  for (const [part, name] of Object.entries(parts)) {
    const words = ["d1", "export", "DB", "--local", part, "--output", file(name)];
    execFileSync("wrangler", [...words, "--config", file("wrangler.toml")], { stdio: "pipe" });
  }
  data = readFileSync(file("data.sql"), "utf8");
  // The drill takes these from the vars of wrangler.toml.
  const {
    ENVIRONMENT: _environment,
    DEFAULT_CLIENT_ID: _client,
    ...secrets
  } = parseEnv(projectText(".dev.vars"));
  writeFileSync(secretFile, JSON.stringify(secrets));
});

it("an export is imported, verified, opened, served, and writes a tag", async () => {
  const said = await drill("data.sql", secretFile, ...BOOKING);
  expect(said.split("\n").map((line) => line.split(/: |,/)[0])).toEqual([
    "ok     1/6 secrets",
    "ok     2/6 import",
    "ok     3/6 serve",
    "ok     4/6 seals",
    "ok     5/6 names",
    "ok     6/6 transfer",
    expect.stringMatching(/^restored and serving in \d+ s$/),
  ]);
  expect(said).toMatch(/seals: 1 seals, [1-9]\d* rows/);
  expect(said).toMatch(/names: [1-9]\d* bookings open/);
});

it("a service that does not start shows its log line, and no NaN", async () => {
  const secrets = JSON.parse(readFileSync(secretFile, "utf8")) as Record<string, string>;
  // Web Push wants a contact among the vars: the secrets alone are right.
  writeFileSync(file("vars.json"), JSON.stringify({ ...secrets, VAPID_KEY: secrets.CA_INTERMEDIATE_KEY }));
  const failure = await drill("data.sql", file("vars.json")).catch(String);
  expect(failure).toMatch(
    /FAILED 3\/5 serve\nhealthz 503: its log line says why\n\{.*"status":503.*SECURITY_CONTACT/,
  );
  expect(failure).not.toContain("NaN");
});

it("an export in which a sealed row was changed is no backup", async () => {
  const [was, is]: readonly [AuditedEvent, AuditedEvent] = ["attached", "cleared"];
  const changed = data.replaceAll(`'${was}'`, `'${is}'`);
  expect(changed).not.toBe(data);
  writeFileSync(file("changed.sql"), changed);
  await expect(drill("changed.sql", secretFile)).rejects.toThrow(
    /FAILED 4\/5 seals\n[\s\S]*not what was sealed\nThe deployment was not touched/,
  );
});

it("an export that lacks the newest seal is no backup, and neither is one without its secrets", async () => {
  writeFileSync(file("cut.sql"), data.slice(0, data.indexOf('INSERT INTO "audit_seals"')));
  const newest = /seals: .*, newest 1 (\S+),/.exec(await drill("data.sql", secretFile))?.[1] ?? "";
  await expect(drill("cut.sql", secretFile, "--expect", newest)).rejects.toThrow(
    /FAILED 4\/5 seals\n[\s\S]*missing at the end/,
  );
  const secrets = JSON.parse(readFileSync(secretFile, "utf8")) as Record<string, string>;
  writeFileSync(file("other.json"), JSON.stringify({ ...secrets, DATA_KEY: secrets.REFRESH_KEY }));
  await expect(drill("data.sql", file("other.json"))).rejects.toThrow(
    /FAILED 5\/5 names\n[\s\S]*another deployment's/,
  );
});
