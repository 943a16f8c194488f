import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { RadioError, type RadioErrorCode } from "./radio-error.ts";

const BRIDGE = fileURLToPath(new URL("hci_bridge.py", import.meta.url));
const BAUD = "115200";

/** What the bridge's exit status says. */
const CODES: ReadonlyMap<number | null, RadioErrorCode> = new Map([
  [10, "no_bluetooth"],
  [11, "no_adapter"],
  [12, "in_use"],
  [13, "no_permission"],
]);

/**
 * The H4 stream of a controller: `hci0` (an adapter of this machine), `/dev/ttyACM0` or `/dev/ttyACM0@1000000` (a
 * serial line), `unix:/path` (a socket, for controllers in another program). `asRoot` opens it through `sudo`.
 *
 * @throws RadioError
 */
export async function openRadio(name: string, asRoot = false): Promise<Duplex> {
  return name.startsWith("unix:") ? openSocket(name.slice("unix:".length)) : openBridge(name, asRoot);
}

async function openSocket(path: string): Promise<Duplex> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return socket;
  } catch (cause) {
    throw new RadioError("no_adapter", { cause });
  }
}

async function openBridge(name: string, asRoot: boolean): Promise<Duplex> {
  const [device = "", baud = BAUD] = name.split("@");
  const command = ["python3", BRIDGE, device, baud];
  const [program = "", ...args] = asRoot ? ["sudo", ...command] : command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The bridge ends with a number of its own; sudo, where it starts nothing, with 1.
  const unstarted = asRoot ? "no_root" : "no_python";
  child.once("error", (cause) => reject(new RadioError(unstarted, { cause })));
  child.once("exit", (status) =>
    reject(new RadioError(CODES.get(status) ?? (asRoot && status === 1 ? unstarted : "controller_failed"))),
  );
  child.stderr.on("data", (text: Buffer) => text.toString().includes("open") && resolve());
  await promise;
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  child.once("exit", () => stream.destroy());
  // Its input may end before the last packet is taken: the exit above says so.
  child.stdin.on("error", () => undefined);
  stream.once("close", () => child.stdin.destroy());
  return stream;
}
