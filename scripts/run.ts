import { spawn } from "node:child_process";
import { ROOT } from "./project-files.ts";

export interface CommandResult {
  readonly code: number;
  /** Standard output and standard error as they came. */
  readonly output: string;
  readonly ms: number;
}

/** Runs a command in the project's folder without a shell and keeps what it prints; `echo` shows it as it comes too. */
export async function run(
  command: string,
  args: readonly string[],
  options: { echo?: boolean; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  const started = performance.now();
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
    if (options.echo === true) process.stdout.write(chunk);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
  return { code, output, ms: performance.now() - started };
}
