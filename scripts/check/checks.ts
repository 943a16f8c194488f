import { run } from "../run.ts";
import { type Count, sum } from "../test/test-counts.ts";

/** A check that is not a test: it passes or fails as a whole. */
export interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** Two lanes side by side, each in order: on two cores more would only wait for each other. */
const LANES: readonly (readonly Check[])[] = [
  [
    { name: "build", command: ["node", "scripts/build/build-command.ts"] },
    { name: "bundle sizes", command: ["node", "scripts/check/check-sizes.ts"] },
    { name: "file lengths", command: ["node", "scripts/check/check-lengths.ts"] },
  ],
  [
    { name: "format and lint", command: ["biome", "check", "--colors=off"] },
    { name: "types", command: ["tsc", "-b"] },
    { name: "unused code", command: ["knip", "--no-progress"] },
  ],
];

/** Runs every check, the output of failing ones shown; returns how many passed and failed. */
export async function runChecks(): Promise<Count> {
  return sum(await Promise.all(LANES.map(runLane)));
}

async function runLane(checks: readonly Check[]): Promise<Count> {
  const failed: string[] = [];
  for (const check of checks) if (!(await runCheck(check))) failed.push(check.name);
  return { passed: checks.length - failed.length, failed, skipped: 0 };
}

/** Runs one check and says how it went. */
export async function runCheck({ name, command: [program, ...args] }: Check): Promise<boolean> {
  const { code, output, ms } = await run(program, args);
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${(ms / 1000).toFixed(1)} s)`);
  if (code !== 0) console.log(output);
  return code === 0;
}
