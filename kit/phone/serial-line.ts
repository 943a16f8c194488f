import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RadioError } from "../radio/radio-error.ts";
import type { VirtualController } from "./virtual-controller.ts";

const PTY = fileURLToPath(new URL("pty.py", import.meta.url));

/** A controller at the end of a pseudo-terminal, for a host stack in another program. */
export interface SerialLine {
  /** The end to open, H4 over it: `/dev/pts/7`. */
  readonly name: string;
  close(): void;
}

/** Needs Python 3, as the radio does. Throws {@link RadioError} `no_python`. */
export async function serialLine(controller: VirtualController): Promise<SerialLine> {
  const child = spawn("python3", [PTY], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdout.on("data", (chunk: Buffer) => controller.stream.write(chunk));
  controller.stream.on("data", (chunk: Buffer) => child.stdin.write(chunk));
  // A line that was closed takes nothing any more, and what the controller still says is lost, as on a cable pulled out.
  child.stdin.on("error", () => undefined);
  child.once("exit", () => controller.stream.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  child.once("error", (cause) => reject(new RadioError("no_python", { cause })));
  child.stderr.once("data", resolve);
  const name = await promise;
  return { name: name.toString().trim(), close: () => child.kill() };
}
