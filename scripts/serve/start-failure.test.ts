import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { BUILT, build } from "../build/build.ts";
import { prepareState } from "./server.ts";
import { lockStateDir } from "./state.ts";
import { startScript } from "./test-support/start-script.ts";

const folder = mkdtempSync(join(tmpdir(), "taglatch-start-failure-"));
beforeAll(async () => {
  await build();
  return () => rmSync(folder, { recursive: true });
});

/** Shows the lines that `npm start` ends with. */
const start = async (stateDir: string, program?: readonly [string, ...string[]], port = "0") => {
  const more = { PORT: port, STATE_DIR: stateDir, [BUILT]: "1" };
  const { code, errors } = await startScript("start.ts", more, program);
  return [code, errors.trim()];
};

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
