/**
 * `npm run test:changed`, for the inner loop: format, lint and types, and the unit and service tests nearest to what changed
 * since the main branch. `-- REF` takes what changed since another commit. Core runs in Node alone here; `npm test` has the
 * rest.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../kit/command-line.ts";
import { runCheck } from "../check/checks.ts";
import { projectFiles, ROOT, SOURCES } from "../project-files.ts";
import { run } from "../run.ts";
import { importersAmong, nearestTests } from "./nearest-tests.ts";

/** Test files, each some half a second: half a minute in all. */
const LIMIT = 30;

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
const isThere = (ref: string) => git("branch", "--all", "--list", ref).join("").trim() !== "";

/** Where this work began: the main branch of the origin or of this repository; the last commit where there is none. */
const beginning = () => ["origin/main", "main"].find(isThere) ?? "HEAD";

function changedSince(began: string): readonly string[] {
  const [base = "HEAD"] = git("merge-base", "HEAD", began);
  return [
    ...git("diff", "--name-only", "--no-renames", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ].filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

async function test(tests: readonly string[]): Promise<boolean> {
  const projects = ["--project=!core-workerd", "--project=!core-chromium"];
  const words = ["run", "--no-color", "--passWithNoTests", ...projects, ...tests];
  const { code } = await run("vitest", words, { echo: true });
  return code === 0;
}

async function check(changed: readonly string[]): Promise<boolean> {
  const lint = ["biome", "check", "--colors=off", "--no-errors-on-unmatched", ...changed] as const;
  const isFormatted = await runCheck({ name: "format and lint", command: lint });
  return (await runCheck({ name: "types", command: ["tsc", "-b"] })) && isFormatted;
}

const CHANGED = {
  usage: "npm run test:changed -- [REF]",
  words: { REF: "a commit; default: where this work left the main branch" },
  options: {},
};

await runCommand(CHANGED, async ({ words: [began = beginning()] }) => {
  const changed = changedSince(began);
  const tests = nearestTests(changed, importersAmong(projectFiles(SOURCES)), LIMIT);
  console.log(`${changed.length} files changed; the ${tests.length} test files nearest to them`);
  const outcomes = await Promise.all([
    tests.length === 0 || test(tests),
    changed.length === 0 || check(changed),
  ]);
  if (outcomes.includes(false)) process.exitCode = 1;
});
