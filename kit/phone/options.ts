import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type CommandLine, type Given, WordsError } from "../command-line.ts";
import { CHECKS } from "../conformance/checks.ts";
import { serviceOf } from "../tag/options.ts";

/** In a maker's package (scripts/build/build-kit.ts) this is part of `phone.js`. */
export const isPackaged = import.meta.url.endsWith("/phone.js");

/** How a person calls it. */
export const CALL = isPackaged ? "npx taglatch-phone" : "npm run phone --";

export type Action = "write" | "clear" | "check";

/** What a person asks of `npm run phone`. */
export interface PhoneOptions {
  readonly actions: readonly Action[];
  /** Absent: a controller of its own, with another one at a pseudo-terminal for the tag. */
  readonly radio: string | undefined;
  readonly asRoot: boolean;
  readonly service: string;
  readonly booking: string;
  readonly surname: string;
  readonly checks: CheckOptions;
}

/** What a person asks of `npm run phone -- check`. */
export interface CheckOptions {
  /** Groups or ids; absent: all. */
  readonly only: readonly string[] | undefined;
  /** Also runs the check that locks the tag. */
  readonly lockout: boolean;
  /** The file of the report; JUnit's lies beside it. */
  readonly report: string | undefined;
}

export const PHONE = {
  usage: `${CALL} [write] [clear] [check] [options]`,
  words: {
    write: "puts the booking's first bag on the first tag it finds (default)",
    clear: "clears it, also where another phone wrote it for this booking",
    check: "runs the checks of /conformance; exit status 1 where one fails, or none could run",
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
    only: { value: "names", help: "checks or groups of them, as C12,label; default all" },
    lockout: { help: "also the check that locks the tag for 30 seconds" },
    report: {
      value: "file.json",
      help: "the signed report of the checks, and file.xml beside it for build servers",
    },
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
    checks: { only: namesIn(values.only), lockout: values.lockout, report: reportIn(values.report) },
  };
}

/** A run takes minutes: whether its report has a folder is asked before. */
function reportIn(file: string | undefined): string | undefined {
  if (file !== undefined && !existsSync(dirname(file)))
    throw new WordsError(`There is no folder ${dirname(file)} for the report`);
  return file;
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(",").map((name) => name.trim());
  const known = new Set<string>(CHECKS.flatMap(({ id, group }) => [id, group]));
  const unknown = names?.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new WordsError(
      `Unknown check '${unknown}'; groups are ${[...new Set(CHECKS.map(({ group }) => group))].join(", ")}`,
    );
  return names;
}

const isAction = (word: string): word is Action => Object.hasOwn(PHONE.words, word);
