/** `npm run bench -- NAME`: prints figures beside their goals, and fails where a goal is missed. */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand, WordsError } from "../../kit/command-line.ts";
import { wholeNumber } from "../ops/command.ts";
import { run } from "../run.ts";
import { fail } from "../serve/start-failure.ts";
import { type Bench, type Goal, printGoals, sum } from "./harness.ts";

/** Milliseconds before a bench, and the share of all cores that others may use in them. */
const WATCHED = 3_000;
const MOST_USED = 0.08;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  custody: async () => ({ isTimed: false, run: custody }),
  page: async () => (await import("./page.ts")).page,
  sec: async () => (await import("./sec.ts")).sec,
  service: async () => (await import("./service.ts")).service,
  seconds,
};

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
  const load = more.length === 0 ? BENCHES[name] : undefined;
  if (load === undefined) throw new WordsError();
  const { rounds, crowd, soak, ...switches } = values;
  const numbers = { rounds, crowd, soak };
  const given = Object.entries(numbers).flatMap(([option, text]) => (text ? [[option, Number(text)]] : []));
  const bench = await load();
  if (bench.isTimed) await requireQuiet(values.busy);
  if (!printGoals(await bench.run({ ...switches, ...Object.fromEntries(given) }))) process.exitCode = 1;
});

/** Whether the time of a refused proof reveals the cause: ten thousand timings of each cause, in workerd. */
async function custody(): Promise<readonly Goal[]> {
  const test = ["--project", "worker", "worker/tags/custody-proof.timing.test.ts"];
  const env = { VITE_TIMINGS: process.env.VITE_TIMINGS ?? "10000" };
  const { code } = await run("vitest", ["run", "--no-color", ...test], { echo: true, env });
  const met = code === 0;
  return [{ what: "causes told apart by their time", goal: "0", figure: met ? "0" : "some", met }];
}

/** What a passenger waits for, and what grows with an airline: the other benches, one after the other. */
async function seconds(): Promise<Bench> {
  const [sec, page, service] = await Promise.all([BENCHES.sec?.(), BENCHES.page?.(), BENCHES.service?.()]);
  return {
    isTimed: true,
    async run(options) {
      const goals = [await sec?.run(options), await page?.run({ ...options, find: true })];
      goals.push(await page?.run(options), await service?.run(options));
      goals.push(await service?.run({ ...options, capacity: true }));
      return goals.flatMap((some = []) => some);
    },
  };
}

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
