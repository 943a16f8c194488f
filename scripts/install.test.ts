import type { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installBrowser, type Machine, planBrowser } from "./browser.mjs";
import { ROOT } from "./project-files.ts";
import { start as run } from "./run.ts";

/** Logs its start and its end; what it "installs" is a fresh folder, as of the real one. It runs until the file `go` exists. */
const NPM = `import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
appendFileSync("npm.log", "start " + process.argv.slice(2).join(" ") + "\\n");
while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
rmSync("node_modules", { recursive: true, force: true });
mkdirSync("node_modules");
appendFileSync("npm.log", "end\\n");
process.exit(existsSync("fails") ? 1 : 0);`;

/** A fresh clone with a script that prints "ran", and with an npm that waits for `go`. */
function clone() {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-clone-"));
  mkdirSync(join(folder, "scripts"));
  for (const name of ["bootstrap.mjs", "browser.mjs", "install.mjs"])
    cpSync(join(ROOT, "scripts", name), join(folder, "scripts", name));
  writeFileSync(
    join(folder, "package-lock.json"),
    `{"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}`,
  );
  writeFileSync(join(folder, "npm.mjs"), NPM);
  writeFileSync(join(folder, "script.mjs"), `console.log("ran")`);
  return folder;
}

const touch = (folder: string, name: string) => writeFileSync(join(folder, name), "");
const npmLog = (folder: string) => readFileSync(join(folder, "npm.log"), "utf8").trim().split("\n");

/** `node scripts/bootstrap.mjs script.mjs` in `folder`. */
function start(folder: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const words = ["scripts/bootstrap.mjs", ...args, "script.mjs"];
  const more = { ...process.env, npm_execpath: join(folder, "npm.mjs"), ...env };
  // A process group of its own, so that a test can kill its npm with it.
  return run(process.execPath, words, { cwd: folder, env: more, detached: true });
}

it("installs once for two commands of a fresh clone: the second waits for the first", async () => {
  const folder = clone();
  const first = start(folder);
  await first.prints(/Installing the dependencies \(npm ci, some 800 packages\): one to three minutes/);
  const second = start(folder);
  await second.prints(/Another command installs the dependencies; waiting for it/);
  touch(folder, "go");
  expect(await first.ended).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Installed in \d+ s\.\n(.|\n)*ran/),
  });
  expect(await second.ended).toMatchObject({ code: 0, output: expect.stringContaining("ran") });
  expect(npmLog(folder)).toEqual(["start ci --loglevel=error", "end"]);
});

it("goes on where the installing command was killed", async () => {
  const folder = clone();
  const first = start(folder);
  await first.prints(/Installing the dependencies/);
  const second = start(folder);
  await second.prints(/Another command installs/);
  await first.stop("SIGKILL");
  touch(folder, "go");
  expect((await second.ended).code).toBe(0);
});

it("installs nothing the second time, and again where the lock file has changed", async () => {
  const folder = clone();
  touch(folder, "go");
  await start(folder).ended;
  const { output } = await start(folder).ended;
  expect(output).toBe("ran\n");
  writeFileSync(
    join(folder, "package-lock.json"),
    `{"packages":{"":{},"node_modules/b":{"version":"1.0.0"}}}`,
  );
  await start(folder).ended;
  expect(npmLog(folder)).toHaveLength(4);
});

it("ends with npm's own failure, and lets the next command try", async () => {
  const folder = clone();
  touch(folder, "go");
  touch(folder, "fails");
  for (const _attempt of [1, 2])
    expect(await start(folder).ended).toMatchObject({
      code: 1,
      output: expect.stringContaining("npm ci failed"),
    });
  expect(npmLog(folder)).toHaveLength(4);
});

it("reports a browser that cannot be had before it installs anything", async () => {
  const folder = clone();
  const { code, output } = await start(folder, ["--browser"], { CHROMIUM_PATH: "/none/chromium" }).ended;
  expect({ code, output }).toEqual({
    code: 1,
    output: "CHROMIUM_PATH names no file: /none/chromium. Correct it, or unset it.\n",
  });
});

const DEBIAN: Machine = {
  platform: "linux",
  arch: "x64",
  isGlibc: true,
  isDebian: true,
  isRoot: true,
  hasChromium: false,
  missingPath: undefined,
};

/** The commands that run on `machine` and what they ran with, where each ends with `status`. */
function install(machine: Partial<Machine>, status = 0) {
  const plan = planBrowser({ ...DEBIAN, ...machine });
  if ("sentence" in plan) throw new Error(plan.sentence);
  const ran: string[] = [];
  const spawn = (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(" "));
    return { status };
  };
  installBrowser(plan.commands, "/", spawn as unknown as typeof spawnSync);
  return ran;
}

const DEBIANS = ["apt-get update", "apt-get install --yes --no-install-recommends chromium"];
const PLAYWRIGHTS = ["npx playwright install chromium"];
const NO_LINUX = { isDebian: false, isGlibc: false, isRoot: false };

it.each<[string, Partial<Machine>, readonly string[]]>([
  ["nothing where it is there", { hasChromium: true }, []],
  ["Debian's as root on Debian", {}, DEBIANS],
  ["Playwright's on Debian without root", { isRoot: false }, PLAYWRIGHTS],
  ["Playwright's on Ubuntu", { isDebian: false }, PLAYWRIGHTS],
  ["Playwright's on macOS", { ...NO_LINUX, platform: "darwin", arch: "arm64" }, PLAYWRIGHTS],
  ["Playwright's on Windows", { ...NO_LINUX, platform: "win32" }, PLAYWRIGHTS],
])("installs Chromium: %s", (_name, machine, commands) => {
  expect(install(machine)).toEqual(commands);
});

it.each<[string, Partial<Machine>, RegExp]>([
  ["without glibc", { isDebian: false, isGlibc: false }, /CHROMIUM_PATH=/],
  ["of another processor", { isDebian: false, arch: "riscv64" }, /CHROMIUM_PATH=/],
])("plans a sentence instead of a command for a machine %s", (_name, machine, sentence) => {
  expect(planBrowser({ ...DEBIAN, ...machine })).toEqual({ sentence: expect.stringMatching(sentence) });
});

it("ends with a next step where a command fails", () => {
  expect(() => install({}, 100)).toThrow(/`apt-get update` failed.*CHROMIUM_PATH=/);
});
