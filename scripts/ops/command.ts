import { type Option, type Options, type Values, WordsError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { ENVIRONMENTS, type Environment } from "../deploy/environment-names.ts";
import type { Archive } from "./archive-stores.ts";
import { FILE, oneOf } from "./options.ts";
import type { DeploymentSecrets } from "./secret-file.ts";
import type { Row } from "./show.ts";

/** What a command is, and what it is given. */

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
  readonly options: Options;
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
