import { join } from "node:path";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { type CommandLine, type Given, type Options, UsageError, WordsError } from "../command-line.ts";
import { RadioError, type RadioErrorCode } from "../radio/radio-error.ts";
import { ServiceUnreachable } from "./tag-store.ts";

/** What a person asks of `npm run tag`. */
export interface TagOptions {
  readonly radio: string;
  readonly asRoot: boolean;
  readonly generation: GattVersion;
  readonly id: string | undefined;
  readonly service: string;
  readonly folder: string;
  readonly pagePort: number;
  /** Folder of the tag CA, as `npm run ops -- maker ca` makes it. Absent: the demo's CA. */
  readonly maker: string | undefined;
}

const TAG_OPTIONS = {
  radio: { value: "name", help: "hci0 (default), /dev/ttyACM0, /dev/ttyACM0@1000000, unix:/path" },
  sudo: { help: "open the radio as root; nothing else runs as root" },
  generation: { value: "version", help: "2.0: a tag without secure session; default 2.1" },
  id: { value: "id", help: "device id of a new tag; default ebt-21-xxxx" },
  service: {
    value: "url",
    help: "whose clients and tokens it trusts; default the one that npm start serves",
  },
  state: {
    value: "folder",
    help: "its keys and memory; default .wrangler/state/tag-2.1 (or STATE_DIR/…)",
  },
  maker: {
    value: "folder",
    help: "the tag CA that certifies a new tag (npm run ops -- maker ca); default the demo's",
  },
  "page-port": { value: "number", help: "the label's page on 127.0.0.1; default 8799" },
} as const satisfies Options;

export const TAG = { usage: "npm run tag -- [options]", options: TAG_OPTIONS } as const satisfies CommandLine;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws WordsError */
export function tagOptions(
  { values }: Pick<Given<typeof TAG_OPTIONS>, "values">,
  environment: Environment,
): TagOptions {
  const generation = values.generation ?? "2.1";
  if (generation !== "2.0" && generation !== "2.1") throw new WordsError("--generation is 2.0 or 2.1");
  const pagePort = Number(values["page-port"] ?? 8_799);
  if (!Number.isInteger(pagePort) || pagePort < 0 || pagePort > 65_535)
    throw new WordsError("--page-port is a number up to 65535");
  return {
    radio: values.radio ?? "hci0",
    asRoot: values.sudo,
    generation,
    id: values.id,
    service: serviceOf(values.service, environment),
    folder: values.state ?? join(environment.STATE_DIR || ".wrangler/state", `tag-${generation}`),
    pagePort,
    maker: values.maker,
  };
}

/**
 * The service that was named, else the one that `npm start` serves with this `PORT`.
 *
 * @throws WordsError
 */
export function serviceOf(named: string | undefined, { PORT }: Environment): string {
  const url = URL.parse(named ?? `http://localhost:${PORT || 8787}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new WordsError(`--service is a URL, as http://localhost:8787, not ${named ?? PORT}`);
  return url.href.replace(/\/$/, "");
}

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
