import { UsageError } from "../command-line.ts";
import { RadioError, type RadioErrorCode } from "../radio/radio-error.ts";
import { ServiceUnreachable } from "./trust.ts";

/** What went wrong and what to do, in one sentence each; undefined for a fault of ours. */
export function helpFor(error: unknown, radio: string): string | undefined {
  if (error instanceof RadioError) return SENTENCES[error.code](radio);
  if (error instanceof UsageError) return error.message;
  if (error instanceof ServiceUnreachable)
    return `No service answers at ${error.message}, and this tag has not met one yet. Run \`npm start\`, or name another: npm run tag -- --service URL`;
  const { code, path, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE") return `Port ${port} is taken. Choose another: npm run tag -- --page-port 8800`;
  if (code === "EACCES" || code === "ENOSPC" || code === "EROFS")
    return `${path ?? "The tag's folder"} cannot be written. Choose another folder: npm run tag -- --state FOLDER`;
  if (code === "ENOENT")
    return `There is no file ${path}. Name the folder that \`npm run ops -- maker ca\` made: npm run tag -- --maker FOLDER`;
  return undefined;
}

const isLine = (radio: string) => radio.startsWith("/");
const isPty = (radio: string) => radio.startsWith("/dev/pts/");

const SENTENCES: Readonly<Record<RadioErrorCode, (radio: string) => string>> = {
  no_bluetooth: () =>
    "This machine's kernel has no Bluetooth. Use one that has, or a controller on a serial line: npm run tag -- --radio /dev/ttyACM0. Or do without a radio: npm run phone",
  no_adapter: (radio) =>
    isPty(radio)
      ? `There is no line ${radio}: it ended with its \`npm run phone\`. Start that again; it names a new one.`
      : isLine(radio)
        ? `There is no line ${radio}. \`ls /dev/tty*\` lists them: npm run tag -- --radio /dev/ttyACM0`
        : `There is no adapter ${radio}. \`ls /sys/class/bluetooth\` lists them: npm run tag -- --radio hci1`,
  in_use: (radio) =>
    isLine(radio)
      ? `Another program uses ${radio}. End it, or take another line.`
      : `The system uses ${radio}. Let it go with \`bluetoothctl power off\` (or \`sudo hciconfig ${radio} down\`), and start again.`,
  no_permission: (radio) =>
    isLine(radio)
      ? `You may not open ${radio}. Join its group with \`sudo usermod -aG dialout $USER\` and log in again, or: npm run tag -- --sudo`
      : `Only root may take ${radio} from the system. Let root open it, and nothing else: npm run tag -- --sudo`,
  no_root: () =>
    "`sudo` did not start Python: was the password wrong? When `sudo python3 --version` works, start again.",
  no_python: () =>
    "The radio is opened by Python 3, which is missing. Install it: sudo apt-get install python3",
  controller_failed: (radio) =>
    `What answers at ${radio} is no Bluetooth controller, or has failed. Unplug it and plug it in again; on a serial line check the speed: --radio /dev/ttyACM0@1000000`,
  lost: (radio) =>
    isPty(radio)
      ? `The phone at ${radio} has ended. The tag has kept its label and its counters; \`npm run phone\` offers a new line.`
      : `The radio ${radio} is gone. Plug it in again and start again; the tag has kept its label and its counters.`,
};
