import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { ROOT } from "../project-files.ts";

/** The module at `entry` (a path within the project) with all it imports, as the text of one script; exports stay. */
export async function oneFile(entry: string): Promise<string> {
  const result = (await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    build: {
      write: false,
      target: "esnext",
      rolldownOptions: {
        input: join(ROOT, entry),
        preserveEntrySignatures: "strict",
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return result.output[0].code;
}
