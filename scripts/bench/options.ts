import { fail } from "../serve/port.ts";

/** The number behind `--name` on the command line, or `usual`. Ends the process with 2 where it is no whole number above 0. */
export function optionOf(name: string, usual: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return usual;
  const value = Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} is a whole number from 1`, 2);
  return value;
}
