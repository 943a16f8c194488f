import { UsageError } from "../../kit/command-line.ts";

/** Something a deployment does, and what is so where it fails. */
export interface Step {
  readonly name: string;
  /** Does it; a line of what it found. Throws what is wrong, in a sentence. */
  run(): Promise<string>;
  /** Where things stand when it fails, and what to do next. */
  readonly ifItFails: string;
}

/** Runs each step until one fails. Throws UsageError, which says where things stand then. */
export async function runSteps(steps: readonly Step[], print: (line: string) => void): Promise<void> {
  for (const [index, { name, run, ifItFails }] of steps.entries()) {
    const at = `${index + 1}/${steps.length} ${name}`;
    try {
      print(`ok     ${at}: ${await run()}`);
    } catch (error) {
      print(`FAILED ${at}`);
      const left = steps.slice(index + 1).map((step) => step.name);
      const notDone = left.length === 0 ? "" : `\nNot done: ${left.join(", ")}.`;
      throw new UsageError(
        `${error instanceof Error ? error.message : String(error)}\n${ifItFails}${notDone}`,
      );
    }
  }
}
