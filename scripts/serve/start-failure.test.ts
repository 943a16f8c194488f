import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { start } from "../run.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { chosenPort } from "./port.ts";
import { lockStateDir } from "./state.ts";

/** `npm run dev` loads Vite and its plugins before it fails: in a full run. */
const START = ["start.ts", "npm start"] as const;
const SCRIPTS = dailyOrFull([START], [START, ["dev.ts", "npm run dev"] as const]);

const holder = createServer();
let taken = 0;

beforeAll(async () => {
  holder.listen({ host: "localhost", port: 0 });
  await once(holder, "listening");
  taken = (holder.address() as { port: number }).port;
});
afterAll(() => holder.close());

const stateDir = temporaryFolder();

/** The status of a script of this folder, and what it printed. */
async function say(script: string, port: string, more: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, WRANGLER_LOG: "error", PORT: port, STATE_DIR: stateDir, ...more };
  const { code, output } = await start(process.execPath, [`scripts/serve/${script}`], { env }).ended;
  return [code, output.trim()];
}

test.each(SCRIPTS)("%s says that its port is taken and how to choose another", async (script, command) => {
  expect(await say(script, String(taken))).toEqual([
    1,
    `Port ${taken} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`,
  ]);
});

test.each(SCRIPTS)("%s refuses a PORT that is none", async (script) => {
  expect(await say(script, "http")).toEqual([2, "PORT is not a port: http"]);
});

test.each(SCRIPTS)("%s says that STATE_DIR cannot hold a database", async (script, command) => {
  expect(await say(script, "0", { STATE_DIR: "package.json" })).toEqual([
    1,
    "The database cannot be kept in package.json: the folder is not writable. " +
      `Choose another: STATE_DIR=.wrangler/state-2 ${command}`,
  ]);
});

test("an empty PORT and an empty STATE_DIR count as absent", async () => {
  vi.stubEnv("PORT", "");
  vi.stubEnv("STATE_DIR", "");
  vi.resetModules();
  const { STATE_DIR } = await import("./start-failure.ts");
  expect([chosenPort(), STATE_DIR]).toEqual([8787, ".wrangler/state"]);
  vi.unstubAllEnvs();
  vi.resetModules();
});

test("a second start on one database is refused, whichever port it asks for", async () => {
  lockStateDir(stateDir);
  expect(await say("start.ts", "8792")).toEqual([
    1,
    `Another service is starting with the database in ${stateDir}. ` +
      "Stop it, or choose another port and folder: PORT=8788 STATE_DIR=.wrangler/state-2 npm start",
  ]);
});
