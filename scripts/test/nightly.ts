/** `npm run nightly [NAME …]`: what is too slow for every push. All of it, or what is named; the last line counts. */

import { run } from "../run.ts";
import { NIGHT, type Night } from "./night.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NIGHT.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(`No ${unknown.join(", ")}. There are: ${NIGHT.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

/** Where that cannot be done, it is said, and the row runs without. */
async function install(packages: readonly string[]): Promise<void> {
  try {
    const { code } = await run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages]);
    if (code === 0) return;
  } catch {
    // No Debian.
  }
  console.log(`Without ${packages.join(", ")}: only root on Debian can have that installed here.`);
}

/** Runs one row, its output shown as it comes. */
async function runOne({ name, why, command, env = {}, debian }: Night): Promise<boolean> {
  console.log(`\n== ${name}: ${why}`);
  if (debian !== undefined) await install(debian);
  const [program, ...args] = command;
  const { code, ms } = await run(program, args, { echo: true, env: { VITE_NIGHT: "1", ...env } });
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${(ms / 60_000).toFixed(1)} min)`);
  return code === 0;
}

const failed: string[] = [];
const rows = NIGHT.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
for (const row of rows) if (!(await runOne(row))) failed.push(row.name);

console.log(
  `\n${rows.length - failed.length} passed, ${failed.length} failed: ${failed.join(", ") || "none"}`,
);
if (failed.length > 0) process.exitCode = 1;
