import { run } from "../run.ts";
import { type Count, sum } from "../test/test-counts.ts";

/** A check that is not a test: it passes or fails as a whole. */
export interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** What the tests of a service and of the page use, and what is measured of it. */
export const BUILD: readonly Check[] = [
  { name: "build", command: ["node", "scripts/build/build-command.ts"] },
  { name: "bundle sizes", command: ["node", "scripts/check/check-sizes.ts"] },
];

/** What reads the sources alone. */
export const SOURCES: readonly Check[] = [
  { name: "format and lint", command: ["biome", "check", "--colors=off"] },
  { name: "types", command: ["tsc", "-b"] },
  // A host compiles the SDK's declarations without our packages' types: one import too many ends that.
  { name: "package of the SDK", command: ["node", "scripts/build/build-sdk.ts"] },
  { name: "unused code", command: ["knip", "--no-progress"] },
  { name: "words", command: ["node", "scripts/check/check.ts", "language"] },
];

/** Runs every check, in two lanes side by side: on two cores more would only wait for each other. */
export async function runChecks(): Promise<Count> {
  return sum(await Promise.all([runLane(BUILD), runLane(SOURCES)]));
}

/** Runs checks in order, the output of failing ones shown; returns how many passed and failed. */
export async function runLane(checks: readonly Check[]): Promise<Count> {
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
