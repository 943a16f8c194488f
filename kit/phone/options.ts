import { type CommandLine, type Given, WordsError } from "../../scripts/command-line.ts";
import { serviceOf } from "../tag/options.ts";

export type Action = "write" | "clear";

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

export const PHONE = {
  usage: "npm run phone -- [write] [clear] [options]",
  words: {
    write: "puts the booking's first bag on the first tag it finds (default)",
    clear: "clears it, also where another phone wrote it for this booking",
  } satisfies Record<Action, string>,
  options: {
    radio: {
      value: "name",
      help: "a Bluetooth adapter, as `npm run tag` names them; default none: it offers the tag a line",
    },
    sudo: { help: "open the radio as root; nothing else runs as root" },
    service: { value: "url", help: "default the one that npm start serves here" },
    booking: { value: "locator", help: "default ABC123" },
    surname: { value: "name", help: "default Lovelace" },
  },
} as const satisfies CommandLine;

/** @throws WordsError */
export function phoneOptions(
  { values, words }: Given<typeof PHONE.options>,
  environment: Readonly<Record<string, string | undefined>>,
): PhoneOptions {
  const unknown = words.find((word) => !isAction(word));
  if (unknown !== undefined) throw new WordsError(`Unknown action '${unknown}'`);
  return {
    actions: words.length === 0 ? ["write"] : words.filter(isAction),
    radio: values.radio,
    asRoot: values.sudo,
    service: serviceOf(values.service, environment),
    booking: values.booking ?? "ABC123",
    surname: values.surname ?? "Lovelace",
  };
}

const isAction = (word: string): word is Action => Object.hasOwn(PHONE.words, word);
