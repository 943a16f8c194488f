import { join } from "node:path";
import { parseArgs } from "node:util";
import type { GattVersion } from "../../core/gatt/profile.ts";

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

/** An option that cannot be followed; the message says which and why. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

export const USAGE = `npm run tag -- [options]
  --radio NAME         hci0 (default), /dev/ttyACM0, /dev/ttyACM0@1000000, unix:/path
  --sudo               open the radio as root; nothing else runs as root
  --generation 2.0     a tag without secure session; default 2.1
  --id ID              device id of a new tag; default ebt-21-xxxx
  --service URL        whose clients and tokens it trusts; default the one that npm start serves here
  --state FOLDER       its keys and memory; default .wrangler/state/tag-2.1 (or STATE_DIR/…)
  --maker FOLDER       the tag CA that certifies a new tag (npm run ops -- maker ca); default the demo's
  --page-port N        the label's page on 127.0.0.1; default 8799
  --help               these lines`;

const STRINGS = ["radio", "generation", "id", "service", "state", "maker", "page-port"] as const;

/** @throws OptionError */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): TagOptions {
  const values = parsed(args);
  const generation = values.generation ?? "2.1";
  if (generation !== "2.0" && generation !== "2.1") throw new OptionError("--generation is 2.0 or 2.1");
  const pagePort = Number(values["page-port"] ?? 8_799);
  if (!Number.isInteger(pagePort) || pagePort < 0 || pagePort > 65_535)
    throw new OptionError("--page-port is a number up to 65535");
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
 * @throws OptionError
 */
export function serviceOf(
  named: string | undefined,
  { PORT }: Readonly<Record<string, string | undefined>>,
): string {
  const url = URL.parse(named ?? `http://localhost:${PORT || 8787}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OptionError(`--service is a URL, as http://localhost:8787, not ${named}`);
  return url.href.replace(/\/$/, "");
}

function parsed(args: readonly string[]) {
  const strings = Object.fromEntries(STRINGS.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...strings, sudo: { type: "boolean" } } });
    return { ...(values as Partial<Record<(typeof STRINGS)[number], string>>), sudo: values.sudo === true };
  } catch (cause) {
    throw new OptionError(cause instanceof Error ? cause.message : "unknown option", { cause });
  }
}
