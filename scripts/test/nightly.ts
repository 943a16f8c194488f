/**
 * `npm run nightly`: every test at its full size, and what needs a run of its own. `-- NAME …` takes some of {@link RUNS},
 * or the tests whose paths contain the name: `npm run nightly -- sdk/radio`. The last line counts the runs.
 */
import { runCommand, WordsError } from "../../kit/command-line.ts";
import { projectFiles } from "../project-files.ts";
import { run } from "../run.ts";

interface Run {
  readonly name: string;
  readonly why: string;
  readonly command: readonly [string, ...string[]];
}

const VITEST = ["vitest", "run", "--no-color"] as const;
const PLAYWRIGHT = ["playwright", "test"] as const;

const RUNS: readonly Run[] = [
  {
    name: "tests",
    why: "random tests in thousands of new cases, core in all three runtimes",
    command: VITEST,
  },
  {
    name: "stories",
    why: "every story, and every screen in every setting; its pictures want Debian's fonts-noto-cjk",
    command: PLAYWRIGHT,
  },
  {
    name: "repeated-conformance",
    why: "whether one tag, through Chromium's Bluetooth, always gets the same result",
    command: [...PLAYWRIGHT, "conformance", "--workers", "1", "--repeat-each", "10"],
  },
  {
    name: "custody",
    why: "whether the time of a refused proof reveals its cause: needs a machine with nothing else to do",
    command: ["node", "scripts/bench/bench.ts", "custody"],
  },
];

/** The rows called `name`, or a run of the tests whose paths contain it. */
function runsOf(name: string): readonly Run[] {
  const rows = RUNS.filter((row) => row.name === name);
  if (rows.length > 0) return rows;
  const has = (suffix: RegExp) =>
    projectFiles("**/*.{test,spec}.{ts,tsx}").some((path) => path.includes(name) && suffix.test(path));
  const why = `tests with ${name} in their path`;
  return [
    ...(has(/\.test\.tsx?$/) ? [{ name, why, command: [...VITEST, name] } as const] : []),
    ...(has(/\.spec\.ts$/) ? [{ name, why, command: [...PLAYWRIGHT, name] } as const] : []),
  ];
}

const NIGHTLY = {
  usage: "npm run nightly -- [NAME …]",
  words: { NAME: "a run, or a part of the paths of tests; without one, all runs" },
  options: {},
};

/** Runs one row, its output shown as it comes. */
async function runOne({ name, why, command }: Run): Promise<boolean> {
  console.log(`\n== ${name}: ${why}`);
  const [program, ...args] = command;
  const { code, ms } = await run(program, args, { echo: true, env: { FULL: "1" } });
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${(ms / 60_000).toFixed(1)} min)`);
  return code === 0;
}

await runCommand(NIGHTLY, async ({ words }) => {
  const unknown = words.filter((name) => runsOf(name).length === 0);
  if (unknown.length > 0) {
    const names = RUNS.map(({ name }) => name).join(", ");
    throw new WordsError(`No ${unknown.join(", ")}. There are: ${names}, and the paths of tests`);
  }
  const failed: string[] = [];
  const runs = words.length === 0 ? RUNS : words.flatMap(runsOf);
  for (const one of runs) if (!(await runOne(one))) failed.push(one.name);
  const names = failed.join(", ") || "none";
  console.log(`\n${runs.length - failed.length} passed, ${failed.length} failed: ${names}`);
  if (failed.length > 0) process.exitCode = 1;
});
