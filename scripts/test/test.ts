/**
 * Everything: the build, then unit and service tests beside end-to-end tests and the other checks, since none keeps two cores
 * busy alone. The last line counts all of them together, each check as one.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { BUILT } from "../build/build.ts";
import { BUILD, runLane, SOURCES } from "../check/checks.ts";
import { ROOT } from "../project-files.ts";
import { run } from "../run.ts";
import { againstBudget, type Count, countPlaywright, countVitest, type Part, sum } from "./test-counts.ts";

const RESULTS = join(ROOT, "test-results");

interface Suite {
  readonly command: string;
  /** Its file in {@link RESULTS}. */
  readonly report: string;
  readonly count: (report: unknown) => Count;
  /** Whether what it prints is shown as it comes, or at its end. */
  readonly echo: boolean;
}

/** Runs one test program that leaves a report; a program that fails without a failed test counts as one. */
async function suite({ command, report, count, echo }: Suite): Promise<Count> {
  const path = join(RESULTS, report);
  rmSync(path, { force: true });
  const [program = "", ...args] = command.split(" ");
  if (echo) console.log(`\n$ ${command}`);
  const { code, output } = await run(program, args, { echo, env: { [BUILT]: "1" } });
  if (!echo) console.log(`\n$ ${command}\n${output}`);
  const counted = existsSync(path)
    ? count(JSON.parse(readFileSync(path, "utf8")))
    : { passed: 0, failed: [], skipped: 0 };
  const broken = counted.failed.length === 0 && (code !== 0 || counted.passed === 0);
  return broken ? { ...counted, failed: [`${command} (ended with ${code})`] } : counted;
}

const times: string[] = [];

/** The count of a part of the whole, whose time is kept. */
async function timed(part: Part, work: Promise<Count>): Promise<Count> {
  const started = performance.now();
  const count = await work;
  times.push(againstBudget(part, (performance.now() - started) / 1_000));
  return count;
}

const vitest: Suite = {
  command:
    "vitest run --no-color --reporter=default --reporter=json --outputFile.json=test-results/vitest.json",
  report: "vitest.json",
  count: countVitest,
  echo: true,
};
const playwright: Suite = {
  command: "playwright test",
  report: "playwright.json",
  count: countPlaywright,
  echo: false,
};

/** Linux keeps this in memory; a container may have it small, or without the right to run programs there. */
const SHARED = "/dev/shm";
/** Bytes that must be free there, and of memory in all: the tests' programs need the rest. */
const ROOM = 2 * 2 ** 30;
const MEMORY_LEFT = 2 * ROOM;

/** Of /proc/mounts: a file system in memory where programs may run. */
const IN_MEMORY = new RegExp(`^\\S+ ${SHARED} tmpfs (?!\\S*\\b(?:noexec|ro)\\b)`, "m");

/**
 * A new folder for what tests write, in memory: half of their time in the kernel is a disk's. Undefined where there is none,
 * or too little room; then theirs is the system's. Gone with this process.
 */
function memoryFolder(): string | undefined {
  if (!existsSync("/proc/mounts") || !IN_MEMORY.test(readFileSync("/proc/mounts", "utf8"))) return undefined;
  const { bavail, bsize } = statfsSync(SHARED);
  // Of a container it knows the limit.
  if (bavail * bsize < ROOM || process.availableMemory() < MEMORY_LEFT) return undefined;
  const folder = mkdtempSync(join(SHARED, "taglatch-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  return folder;
}

// Node compiles each module once for all programs of a run: a command of operators starts in four fifths of the time.
process.env.NODE_COMPILE_CACHE = join(RESULTS, "compiled");
// A tenth of the processor time of the service's tests is files of databases.
const folder = memoryFolder();
if (folder !== undefined) process.env.TMPDIR = folder;
const sources = timed("checks", runLane(SOURCES));
// Before the tests, which use it: a second build would replace it beneath a story.
const build = await timed("build", runLane(BUILD));
const tests = await Promise.all([timed("vitest", suite(vitest)), timed("playwright", suite(playwright))]);
const total = sum([build, await sources, ...tests]);

if (total.failed.length > 0) process.exitCode = 1;
// Once more, and last: readers of a long log begin at its end.
for (const one of total.failed) console.log(`\nFAILED ${one}`);
console.log(`\n${times.join("\n")}`);
console.log(`\n${total.passed} passed, ${total.failed.length} failed, ${total.skipped} skipped`);
