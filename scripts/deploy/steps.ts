import { UsageError } from "../../kit/command-line.ts";

/** One step of a deployment. */
export interface Step {
  readonly name: string;
  /** Returns one line about what it did or found. Throws an Error whose message is a sentence. */
  run(): Promise<string>;
  /** The state of the deployment if this step fails, and what to do next. */
  readonly ifItFails: string;
}

/** Runs each step until one fails. Throws UsageError with {@link Step.ifItFails}. */
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
