import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT } from "../../project-files.ts";

/** Runs a script of this folder until it ends; its status and what it wrote to stderr. */
export async function startScript(
  script: string,
  more: Readonly<Record<string, string>>,
  [program, ...before]: readonly [string, ...string[]] = [process.execPath],
): Promise<{ code: number | null; errors: string }> {
  const env = { ...process.env, WRANGLER_LOG: "error", ...more };
  const args = [...before, join(ROOT, "scripts", "serve", script)];
  const child = spawn(program, args, { env, stdio: "pipe" });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, errors };
}
