import { UsageError } from "../../kit/command-line.ts";
import { operate, type World } from "./operate.ts";

/** Runs a command as a part of another; what it printed. Throws UsageError, with that before the reason. */
export async function operateWithin(
  words: readonly string[],
  world: Pick<World, "open"> = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  await operate(words, { print: (line) => lines.push(line), env: {}, ...world }).catch((error: Error) => {
    throw new UsageError([...lines, error.message].join("\n"));
  });
  return lines;
}
