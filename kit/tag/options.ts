import { join } from "node:path";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { type CommandLine, type Given, type Options, WordsError } from "../command-line.ts";

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
