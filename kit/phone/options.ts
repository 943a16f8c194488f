import { parseArgs } from "node:util";
import { OptionError, serviceOf } from "../tag/options.ts";

export const ACTIONS = ["write", "clear"] as const;
export type Action = (typeof ACTIONS)[number];

/** What a person asks of `npm run phone`. */
export interface PhoneOptions {
  readonly actions: readonly Action[];
  /** Absent: a controller of its own, with another one at a pseudo-terminal for the tag. */
  readonly radio: string | undefined;
  readonly asRoot: boolean;
  readonly service: string;
  readonly booking: string;
  readonly surname: string;
}

export const USAGE = `npm run phone -- [write] [clear] [options]
  write                puts the booking's first bag on the first tag that is heard (default)
  clear                clears it, also where another phone wrote it for this booking
  --radio NAME         a Bluetooth adapter, as \`npm run tag\` names them; default none: it offers the tag a line
  --sudo               open the radio as root; nothing else runs as root
  --service URL        default the one that npm start serves here
  --booking LOCATOR    default ABC123
  --surname NAME       default Lovelace
  --help               these lines`;

/** @throws OptionError */
export function readPhoneOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): PhoneOptions {
  const { values, positionals } = parsed(args);
  const unknown = positionals.find((word) => !isAction(word));
  if (unknown !== undefined) throw new OptionError(`Unknown action '${unknown}'`);
  return {
    actions: positionals.length === 0 ? ["write"] : positionals.filter(isAction),
    radio: values.radio,
    asRoot: values.sudo === true,
    service: serviceOf(values.service, environment),
    booking: values.booking ?? "ABC123",
    surname: values.surname ?? "Lovelace",
  };
}

const isAction = (word: string): word is Action => (ACTIONS as readonly string[]).includes(word);

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    radio: text,
    service: text,
    booking: text,
    surname: text,
    sudo: { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new OptionError(cause instanceof Error ? cause.message : "unknown option", { cause });
  }
}
