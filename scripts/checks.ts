import { run } from "./run.ts";

/** A check that is no test: passes or fails as a whole. */
interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const CHECKS: readonly Check[] = [
  { name: "format and lint", command: ["biome", "check", "--colors=off"] },
  { name: "import zones", command: ["node", "scripts/check-zones.ts"] },
  { name: "file lengths", command: ["node", "scripts/check-lengths.ts"] },
  { name: "types", command: ["tsc", "-b"] },
  { name: "unused code", command: ["knip", "--no-progress"] },
  { name: "build", command: ["node", "scripts/build-command.ts"] },
  { name: "bundle sizes", command: ["node", "scripts/check-sizes.ts"] },
];

/** Runs every check, the output of failing ones shown; returns how many passed and failed. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  let failed = 0;
  for (const { name, command } of CHECKS) {
    const [program, ...args] = command;
    const { code, output, ms } = await run(program, args);
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${(ms / 1000).toFixed(1)} s)`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
  return { passed: CHECKS.length - failed, failed };
}
