/**
 * `npm run mutants`: single faults put into the code, `PER_FILE` a file, each of which some test must see. `npm run mutants --
 * core/sec lock` takes folders, files and areas alone; `--seed N` chooses other faults, `--each N` so many of each file,
 * `--all` takes every one, `--again` those alone that nobody saw in the last run, `--list` prints those nobody saw,
 * `--tests worker/sessions/refresh` has only the test files try them whose paths begin so (as often as wanted). Fails where
 * an area is below its goal.
 */
import { parseArgs } from "node:util";
import { fail } from "../serve/port.ts";
import { BENCHES, type BenchName } from "./areas.ts";
import { openBench, projectsNamed } from "./bench.ts";
import { choose, chosenFiles, PER_FILE } from "./choose.ts";
import { type Judged, report, unseen } from "./report.ts";
import { tryAll } from "./trials.ts";

const { values, positionals } = parsed();
const each = Number(values.each);
if (!Number.isSafeInteger(each) || each < 1) fail("--each is a whole number from 1", 2);
const files = chosenFiles(positionals);
if (files.length === 0) fail(`no file or area is named ${positionals.join(", ")}`, 2);
const started = performance.now();
const chosen = choose(files, {
  seed: values.seed,
  perFile: values.all || values.again ? Number.POSITIVE_INFINITY : each,
  ...(values.again && { among: unseen() }),
});
const judged: Judged[] = [];
for (const name of Object.keys(BENCHES) as BenchName[]) {
  const own = chosen.filter(({ area }) => area.bench === name);
  if (own.length === 0) continue;
  const mutants = own.flatMap((file) => file.mutants);
  const projects = projectsNamed(BENCHES[name].projects);
  const bench = await openBench({ projects, tests: values.tests ?? BENCHES[name].tests, mutants });
  try {
    const say = (line: string) => console.log(`${minutes()}  ${name}: ${line}`);
    const verdicts = await tryAll(bench, mutants, say);
    for (const { path, area, mutants: inFile } of own)
      for (const mutant of inFile)
        judged.push({
          path,
          area: area.name,
          mutant,
          verdict: verdicts.get(mutant) ?? { state: "unreached" },
        });
  } finally {
    await bench.close();
  }
}
const isEnough = report(chosen, judged, values.list);
console.log(
  `\n${judged.length} faults in ${minutes()}, ${values.all ? "all there are" : `seed ${values.seed}`}`,
);
process.exit(isEnough ? 0 : 1);

function parsed() {
  try {
    return parseArgs({
      options: {
        seed: { type: "string", default: "1" },
        each: { type: "string", default: String(PER_FILE) },
        all: { type: "boolean", default: false },
        again: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        tests: { type: "string", multiple: true },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 2);
  }
}

function minutes(): string {
  const seconds = Math.round((performance.now() - started) / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
