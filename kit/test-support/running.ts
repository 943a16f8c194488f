/** `npm run tag` in a process of its own. */
import { type Program, start as startProgram } from "../../scripts/run.ts";

export interface Running extends Program {
  readonly id: string;
  readonly page: string;
}

/** The command itself, once it is on the air; `onEnd` takes what ends it. */
export async function start(args: readonly string[], onEnd: (end: () => unknown) => void): Promise<Running> {
  const program = startProgram(process.execPath, ["kit/tag/tag.ts", "--page-port", "0", ...args]);
  onEnd(() => program.stop("SIGKILL"));
  const [, id = "", page = ""] = await program.prints(/^ready \S+ {2}(\S+) {2}GATT \S+ {2}label (\S+)$/m);
  return { ...program, id, page };
}
