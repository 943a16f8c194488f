/** `npm run bench -- NAME`: prints figures beside their goals, and fails where a goal is missed. */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fail } from "../serve/port.ts";
import { type Bench, type Options, printGoals, sum } from "./harness.ts";

/** Milliseconds before a bench, and the share of all cores that others may use in them. */
const WATCHED = 3_000;
const MOST_USED = 0.08;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  custody: async () => (await import("./custody.ts")).custody,
  page: async () => (await import("./page.ts")).page,
  sec: async () => (await import("./sec.ts")).sec,
  service: async () => (await import("./service.ts")).service,
};

const [name = "", ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) fail(`Usage: npm run bench -- NAME, one of: ${Object.keys(BENCHES).join(", ")}`, 2);
const bench = await load();
const options = optionsOf(bench);
if (bench.isTimed) await requireQuiet(options.busy !== undefined);
if (!printGoals(await bench.run(options))) process.exitCode = 1;

function optionsOf(bench: Bench): Options {
  const known = { busy: { type: "boolean" }, ...bench.options } as const;
  try {
    const { values } = parseArgs({ args, options: known, strict: true });
    return Object.fromEntries(
      Object.entries(values).map(([option, value]) => [option, numberOf(option, value)]),
    );
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 2);
  }
}

function numberOf(option: string, value: unknown): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0
    ? number
    : fail(`--${option} is a whole number from 1`, 2);
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
