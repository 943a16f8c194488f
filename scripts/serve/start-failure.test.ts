import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { BUILT, build } from "../build/build.ts";
import { start as run } from "../run.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { chosenPort } from "./port.ts";
import { prepareState } from "./server.ts";
import { lockStateDir } from "./state.ts";

/** Runs a script of this folder until it ends; its status and what it printed. */
async function startScript(
  script: string,
  more: Readonly<Record<string, string>>,
  [program, ...before]: readonly [string, ...string[]] = [process.execPath],
) {
  const env = { ...process.env, WRANGLER_LOG: "error", ...more };
  const { code, output } = await run(program, [...before, `scripts/serve/${script}`], { env }).ended;
  return [code, output.trim()];
}

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
const say = (script: string, port: string, more: Record<string, string> = {}) =>
  startScript(script, { PORT: port, STATE_DIR: stateDir, ...more });

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
  expect(await say(script, "0", { STATE_DIR: "package.json", [BUILT]: "1" })).toEqual([
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

const folder = temporaryFolder();
beforeAll(async () => void (await build()));

/** Shows the lines that `npm start` ends with. */
const start = (stateDir: string, program?: readonly [string, ...string[]], port = "0") =>
  startScript("start.ts", { PORT: port, STATE_DIR: stateDir, [BUILT]: "1" }, program);

test("a damaged database ends the start with one sentence and a next step", async () => {
  const stateDir = join(folder, "damaged");
  await prepareState(stateDir);
  for (const path of globSync(join(stateDir, "v3/d1/*/*.sqlite"))) writeFileSync(path, "x".repeat(4096));
  for (const path of globSync(join(stateDir, "v3/d1/*/*.sqlite-*"))) rmSync(path);
  expect(await start(stateDir)).toEqual([
    1,
    `The database in ${stateDir} is damaged. Delete the folder and start again (demo data comes back by itself), ` +
      "or choose another: STATE_DIR=.wrangler/state-2 npm start",
  ]);
});

/** Gives a command a folder of a full disk; only Linux has that without asking anybody. */
const withDiskOf = (size: string, path: string) =>
  [
    "unshare",
    ...["--user", "--map-root-user", "--mount", "sh", "-c"],
    `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`,
    path,
  ] as const;
const disk = mkdtempSync(join(folder, "disk-"));
const [unshare, ...words] = withDiskOf("8k", disk);
const hasDisks = spawnSync(unshare, [...words, "true"]).status === 0;

/** While the runtime starts, and while the database is filled. */
test.skipIf(!hasDisks).each(dailyOrFull(["60k"], ["60k", "300k"]))(
  "a disk that is full after %s too",
  async (size) => {
    expect(await start(disk, [...withDiskOf(size, disk), process.execPath])).toEqual([
      1,
      `The disk is full. Free some space, or keep the database (now in ${disk}) on another disk: STATE_DIR=/folder npm start`,
    ]);
  },
);

test("a second start on one database is refused and names the first one's port, whichever it asks for", async () => {
  const stateDir = join(folder, "shared");
  const lock = lockStateDir(stateDir, 0);
  const next = "Stop it, or choose another port and folder: PORT=8788 STATE_DIR=.wrangler/state-2 npm start";
  expect(await start(stateDir)).toEqual([
    1,
    `Another service is starting with the database in ${stateDir}. ${next}`,
  ]);
  lock.writePort(8791);
  for (const port of ["8791", "8792"])
    expect(await start(stateDir, undefined, port)).toEqual([
      1,
      `Another service runs on port 8791 with the database in ${stateDir}. ${next}`,
    ]);
});
