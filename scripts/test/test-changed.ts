/**
 * `npm run test:changed`, for the inner loop: format, lint and types, and the unit and service tests in the folders of what
 * changed since the main branch, as far as they import it. `-- REF` takes what changed since another commit. Core runs in
 * Node alone here; `npm test` has the rest: through the service as a whole, any rule leads to every test of the service.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "../../kit/command-line.ts";
import { runCheck } from "../check/checks.ts";
import { ROOT } from "../project-files.ts";
import { run } from "../run.ts";

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
const isThere = (ref: string) => git("branch", "--all", "--list", ref).join("").trim() !== "";

/** Where this work began: the main branch of the origin or of this repository; the last commit where there is none. */
const beginning = () => ["origin/main", "main"].find(isThere) ?? "HEAD";

const mergeBase = (began: string) => git("merge-base", "HEAD", began)[0] || "HEAD";

const changedSince = (base: string): readonly string[] =>
  [
    ...git("diff", "--name-only", "--no-renames", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ].filter((path) => path !== "" && existsSync(join(ROOT, path)));

/** Vitest finds what imports a change; a test elsewhere that does is of another folder's subject. */
async function test(base: string, changed: readonly string[]): Promise<boolean> {
  const folders = new Set(changed.map((path) => dirname(path)).filter((folder) => folder !== "."));
  if (folders.size === 0) return true;
  const projects = ["--project=!core-workerd", "--project=!core-chromium"];
  const words = ["run", "--no-color", "--passWithNoTests", "--changed", base, ...projects];
  const { code } = await run("vitest", [...words, ...[...folders].map((folder) => `${folder}/`)], {
    echo: true,
  });
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
  const base = mergeBase(began);
  const changed = changedSince(base);
  console.log(`${changed.length} files changed`);
  const outcomes = await Promise.all([test(base, changed), changed.length === 0 || check(changed)]);
  if (outcomes.includes(false)) process.exitCode = 1;
});
