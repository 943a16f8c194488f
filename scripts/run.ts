import { type SpawnOptions, spawn } from "node:child_process";
import { ROOT } from "./project-files.ts";

/** A program in a process of its own. */
export interface Program {
  /** Standard output and standard error as they have come so far. */
  said(): string;
  /** Resolves with the first match in what it prints; rejects where it ends before. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Ends it; one that was started `detached` with every process that it has started. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program in the project's folder without a shell, unless `options` say otherwise; `echo` shows what it prints. */
export function start(
  command: string,
  args: readonly string[],
  { echo = false, ...options }: SpawnOptions & { readonly echo?: boolean } = {},
): Program {
  const child = spawn(command, args, { cwd: ROOT, ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (echo) process.stdout.write(chunk);
      for (const look of looks) look();
    });
  // Not at its exit: what it said last may still be in the pipe.
  const ended = new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
  return {
    said: () => output,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match !== null) resolve(match);
        };
        looks.add(look);
        look();
        ended.then(
          ({ code }) => reject(new Error(`ended with ${code}, not with ${pattern}:\n${output}`)),
          reject,
        );
      }),
    ended,
    async stop(signal = "SIGTERM") {
      const { pid = 0, exitCode, signalCode } = child;
      if (exitCode === null && signalCode === null) process.kill(options.detached ? -pid : pid, signal);
      await ended;
    },
  };
}

/** Runs a command until it ends, and keeps what it prints. */
export async function run(
  command: string,
  args: readonly string[],
  { echo = false, env = {} }: { echo?: boolean; env?: Record<string, string> } = {},
): Promise<{ readonly code: number; readonly output: string; readonly ms: number }> {
  const started = performance.now();
  const { code, output } = await start(command, args, { echo, env: { ...process.env, ...env } }).ended;
  return { code: code ?? 1, output, ms: performance.now() - started };
}
