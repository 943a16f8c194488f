/** `npm run bench -- NAME`: prints figures beside their goals, and fails where a goal is missed. */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand, WordsError } from "../../kit/command-line.ts";
import { wholeNumber } from "../ops/command.ts";
import { run } from "../run.ts";
import { fail } from "../serve/start-failure.ts";
import { type Goal, type Options, printTable, sum } from "./harness.ts";

/** Milliseconds before a bench, and the share of all cores that others may use in them. */
const WATCHED = 3_000;
const MOST_USED = 0.08;

/** Prints tables, and resolves with what has a goal. */
type Bench = (options: Options) => Promise<readonly Goal[]>;

const page: Bench = async (options) => (await import("./page.ts")).benchPage(options);
const sec: Bench = async () => (await import("./sec.ts")).benchSec();
const service: Bench = async (options) => (await import("./service.ts")).benchService(options);

/** What a passenger waits for, and what grows with an airline: the other benches, one after the other. */
const seconds: Bench = async (options) => [
  ...(await sec(options)),
  ...(await page({ ...options, find: true })),
  ...(await page(options)),
  ...(await service(options)),
  ...(await service({ ...options, capacity: true })),
];

/** Whether the time of a refused proof reveals the cause: ten thousand timings of each cause, in workerd. */
const custody: Bench = async () => {
  const test = ["--project", "worker", "worker/tags/custody-proof.timing.test.ts"];
  const env = { VITE_TIMINGS: process.env.VITE_TIMINGS ?? "10000" };
  const { code } = await run("vitest", ["run", "--no-color", ...test], { echo: true, env });
  const met = code === 0;
  return [{ what: "causes that their time discloses", goal: "0", figure: met ? "0" : "some", met }];
};

const BENCHES: Readonly<Record<string, Bench>> = { custody, page, sec, service, seconds };
/** Their times are their own, or they take none. */
const UNTIMED: readonly Bench[] = [custody, sec];

const MANY = wholeNumber("number", 1);
const BENCH = {
  usage: "npm run bench -- NAME [options]",
  words: { NAME: Object.keys(BENCHES).join(", ") },
  options: {
    busy: { help: "measure times though other programs use the machine" },
    find: { help: "page: how long a person waits for their booking" },
    rounds: { ...MANY, help: "service: how many journeys count" },
    crowd: { ...MANY, help: "service: with so many rows in every table" },
    soak: { ...MANY, help: "service: its memory after so many seconds" },
    capacity: { help: "service: what a journey leaves, and how many bags a year fit" },
  },
} as const;

await runCommand(BENCH, async ({ words: [name = "", ...more], values }) => {
  const bench = more.length === 0 ? BENCHES[name] : undefined;
  if (bench === undefined) throw new WordsError();
  if (!UNTIMED.includes(bench)) await requireQuiet(values.busy);
  const goals = await bench(values);
  printTable(
    "Goals",
    goals.map(({ met, ...goal }) => ({ ...goal, met: met ? "yes" : "NO" })),
  );
  if (!goals.every(({ met }) => met)) process.exitCode = 1;
});

/** Ends the program where others keep the machine busy, since a time would be theirs too. `--busy` measures all the same. */
async function requireQuiet(isBusy: boolean): Promise<void> {
  const idle = () => sum(cpus().map(({ times }) => times.idle));
  const before = idle();
  await sleep(WATCHED);
  const share = 1 - (idle() - before) / (WATCHED * cpus().length);
  if (share <= MOST_USED) return;
  const used = `${Math.round(share * 100)} % of this machine is in use by other programs`;
  if (!isBusy) fail(`${used}. Measure on a quiet one, or add --busy.`, 2);
  console.log(`${used}: times are not this program's alone.`);
}
