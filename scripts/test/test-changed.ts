/**
 * `npm run test:changed`, for the inner loop: format, lint and types, and the unit and service tests nearest to what
 * changed since the main branch. `-- REF` takes what changed since another commit, `-- --all` every test that the change
 * can affect. Core runs in Node alone here, random tests are short; `npm test` has the rest.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCheck } from "../check/checks.ts";
import { projectFiles, ROOT, SOURCES } from "../project-files.ts";
import { run } from "../run.ts";
import { affectedTests } from "./affected.ts";

/** Test files: what two cores do in some twenty seconds. */
const MOST = 6;
const SHORT = { VITE_SEQUENCES: "20", VITE_WALKS: "50", VITE_SEEDS: "20", VITE_RUNS: "200" };

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
const isThere = (ref: string) => git("branch", "--all", "--list", ref).join("").trim() !== "";

const words = process.argv.slice(2);
/** Where this work began: the main branch of the origin or of this repository; the last commit where there is none. */
const began = words.find((word) => !word.startsWith("--")) ?? ["origin/main", "main"].find(isThere) ?? "HEAD";
const [base = "HEAD"] = git("merge-base", "HEAD", began);

const changed = [
  ...git("diff", "--name-only", "--no-renames", base),
  ...git("ls-files", "--others", "--exclude-standard"),
].filter((path) => path !== "");
const sources = new Map(
  projectFiles(SOURCES)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
);

async function test(): Promise<boolean> {
  const affected = affectedTests(sources, changed).map(({ path }) => path);
  const chosen = words.includes("--all") ? affected : affected.slice(0, MOST);
  if (chosen.length === 0) return true;
  const projects = ["--project=!core-workerd", "--project=!core-chromium"];
  const { code } = await run("vitest", ["run", "--no-color", ...projects, ...chosen], {
    echo: true,
    env: SHORT,
  });
  console.log(`${chosen.length} of the ${affected.length} test files that the change can affect`);
  return code === 0;
}

async function check(): Promise<boolean> {
  const present = changed.filter((path) => existsSync(join(ROOT, path)));
  const lint = ["biome", "check", "--colors=off", "--no-errors-on-unmatched", ...present] as const;
  const fine = present.length === 0 || (await runCheck({ name: "format and lint", command: lint }));
  return (await runCheck({ name: "types", command: ["tsc", "-b"] })) && fine;
}

console.log(`${changed.length} files changed`);
const outcomes = await Promise.all([test(), check()]);
if (outcomes.includes(false)) process.exitCode = 1;
