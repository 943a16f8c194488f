/** `npm run tag` in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const TAG = fileURLToPath(new URL("../tag/tag.ts", import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  readonly id: string;
  readonly page: string;
  readonly said: () => string;
}

/** The command itself, in a process of its own, once it is on the air; `onEnd` takes what ends it. */
export async function start(args: readonly string[], onEnd: (end: () => void) => void): Promise<Running> {
  const child = spawn(process.execPath, [TAG, "--page-port", "0", ...args]);
  onEnd(() => void child.kill("SIGKILL"));
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
  const collect = (chunk: Buffer) => {
    said += chunk.toString();
    const ready = said.match(/^ready \S+ {2}(\S+) {2}GATT \S+ {2}label (\S+)$/m);
    if (ready !== null) resolve(ready);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  // Not at its exit: what it said last may still be in the pipe.
  child.once("close", () => reject(new Error(`the tag ended: ${said}`)));
  const [, id = "", page = ""] = await promise;
  return { child, id, page, said: () => said };
}
