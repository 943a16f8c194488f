import { parseArgs } from "node:util";
import type { Db } from "../../worker/database/connect.ts";
import { ENVIRONMENTS, type Environment } from "../deploy/environment-names.ts";
import type { Archive } from "./archive-stores.ts";
import { FILE, isThere, type Option, oneOf } from "./options.ts";
import type { DeploymentSecrets } from "./secret-file.ts";
import type { Row } from "./show.ts";
import { WordsError } from "./usage-error.ts";

/** What a command is, and how its words are read. */

/** What a command is given. */
export interface Input {
  /** The value of an option; throws {@link WordsError} where it is missing. */
  one(name: string): string;
  maybe(name: string): string | undefined;
  many(name: string): readonly string[];
  has(name: string): boolean;
  /** Of an option that is a `wholeNumber`, or `fallback`. */
  number(name: string, fallback?: number): number;
  readonly db: Db;
  /** The bucket of the audit log, where there is one. */
  readonly archive: Archive | undefined;
  /** Whether statements are only printed: nothing can be read back. */
  readonly isPrinted: boolean;
  /** Whether the deployment is asked, and not this machine. */
  readonly isRemote: boolean;
  /** Which environment of wrangler.toml; undefined is its top level. */
  readonly environment: Environment | undefined;
  /** Secrets of the deployment, from the file named by `--secrets`. */
  secrets(): DeploymentSecrets;
  print(line: string): void;
  /** What was found: a line each, or with `--json` one list. */
  show(rows: readonly Row[]): void;
  /** One thing that was found: its members, or with `--json` one object. */
  showOne(row: Row): void;
  /** How far it has got; never a part of the answer. */
  note(line: string): void;
}

export interface Command {
  /** As it is typed. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** `read` needs answers and cannot be printed; `local` is this machine's own, whatever is asked. */
  readonly database: "none" | "read" | "write" | "local";
  run(input: Input): Promise<void>;
}

/** Options every command with a database has. */
export const TARGET_OPTIONS = {
  remote: { help: "the deployment's database, through wrangler, instead of this machine's" },
  env: {
    ...oneOf(ENVIRONMENTS),
    help: "with --remote: which deployment (default: the top level of wrangler.toml)",
  },
  print: { help: "show the SQL and change nothing" },
  json: { help: "answer in JSON" },
  state: {
    value: "folder",
    help: "this machine's database (default: STATE_DIR, the running service's, or .wrangler/state)",
  },
  secrets: { ...FILE, help: "the deployment's secrets (default: .dev.vars, not with --remote)" },
} as const satisfies Record<string, Option>;

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** The options in `words`. Throws {@link WordsError} for what the command does not have or does not get. */
export function readOptions(options: Readonly<Record<string, Option>>, words: readonly string[]): Values {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, list }]) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, { type, multiple: list === true }];
    }),
  );
  const values = parsed(words, config);
  for (const [name, { required, fault }] of Object.entries(options)) {
    const given = [values[name]].flat().filter((value) => typeof value === "string");
    if (required && given.length === 0) throw new WordsError(`--${name} is missing`);
    for (const value of given) {
      const wrong = value.trim() === "" ? "is empty" : fault?.(value);
      if (wrong !== undefined) throw new WordsError(`--${name} ${wrong}`);
    }
  }
  return values;
}

/** Throws {@link WordsError} where an option names a file or folder to read that is not there. */
export function requireRead(options: Readonly<Record<string, Option>>, values: Values): void {
  for (const [name, { reads }] of Object.entries(options)) {
    for (const path of [values[name]].flat()) {
      if (reads !== undefined && typeof path === "string" && !isThere(path, reads))
        throw new WordsError(`--${name} names no ${reads}: ${path}`);
    }
  }
}

function parsed(
  words: readonly string[],
  options: Record<string, { type: "boolean" | "string"; multiple: boolean }>,
): Values {
  try {
    const args = withValues(words, options);
    const { values, tokens } = parseArgs({ args, options, allowPositionals: false, tokens: true });
    const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const twice = names.find((name, index) => !options[name]?.multiple && names.indexOf(name) < index);
    if (twice !== undefined) throw new WordsError(`--${twice} is given twice`);
    return values;
  } catch (error) {
    if (error instanceof TypeError) throw new WordsError(error.message);
    throw error;
  }
}

/** A value may begin with a dash, as a hash may: it is tied to its option, which parseArgs wants then. */
function withValues(words: readonly string[], options: Record<string, { type: string }>): string[] {
  const takesOne = (word = "") => word.startsWith("--") && options[word.slice(2)]?.type === "string";
  const isTied = (at: number) => takesOne(words[at - 1]) && DASHED.test(words[at] ?? "");
  return words.flatMap((word, at) =>
    isTied(at) ? [] : isTied(at + 1) ? [`${word}=${words[at + 1]}`] : [word],
  );
}

/** What begins with a dash and does not look like an option. */
const DASHED = /^-(?!-[a-z-]+(?:=|$))/;

/** Reading of `values` by name. */
export function readersOf(values: Values): Pick<Input, "one" | "maybe" | "many" | "has" | "number"> {
  const maybe = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  const one = (name: string) => {
    const value = maybe(name);
    if (value === undefined) throw new WordsError(`--${name} is missing`);
    return value;
  };
  return {
    one,
    maybe,
    many: (name) => (Array.isArray(values[name]) ? values[name].map(String) : []),
    has: (name) => values[name] === true,
    number: (name, fallback) => {
      const text = maybe(name);
      return text === undefined && fallback !== undefined ? fallback : Number(one(name));
    },
  };
}
