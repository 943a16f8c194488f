import {
  type Command,
  type Input,
  type Option,
  readersOf,
  readOptions,
  TARGET_OPTIONS,
  type Values,
} from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { type OpenDatabase, openDatabase, type Target } from "./database.ts";
import { readSecrets } from "./secret-file.ts";
import { UsageError } from "./usage-error.ts";

/** From the words of a command line to a command that has run. */

export interface World {
  print(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens the database; a test has one open already. */
  readonly open?: (target: Target) => Promise<OpenDatabase>;
}

/** Runs the command that `words` name. Throws UsageError where they name none or name it wrongly. */
export async function operate(
  words: readonly string[],
  { print, env, open = openDatabase }: World,
): Promise<void> {
  const [command, rest] = find(words);
  if (command === undefined || rest.includes("--help")) {
    for (const line of command === undefined ? overview() : usage(command)) print(line);
    if (command === undefined && words.some((word) => !word.startsWith("-")))
      throw new UsageError(`no command ${words.join(" ")}`);
    return;
  }
  const values = readOptions(optionsOf(command), rest);
  const target = targetOf(command, values, { print, env });
  const path =
    typeof values.secrets === "string" ? values.secrets : target.kind === "local" ? ".dev.vars" : undefined;
  const secrets = () => {
    if (path === undefined) throw new UsageError("--secrets is missing");
    return readSecrets(path);
  };
  const database = command.database === "none" ? undefined : await open(target);
  try {
    // Commands without a database do not look at it.
    const db = database?.db as Input["db"];
    const { archive } = database ?? {};
    const isPrinted = target.kind === "print";
    await command.run({ ...readersOf(values), db, archive, isPrinted, secrets, print });
  } finally {
    await database?.close();
  }
}

/** The command with the longest name that begins `words`, and what comes after it. */
function find(words: readonly string[]): readonly [Command | undefined, readonly string[]] {
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  return [command, words.slice(command?.name.split(" ").length ?? 0)];
}

function optionsOf({ options, database }: Command): Readonly<Record<string, Option>> {
  const { state, secrets } = TARGET_OPTIONS;
  if (database === "local") return { ...options, state, secrets };
  return database === "none" ? options : { ...options, ...TARGET_OPTIONS };
}

function targetOf({ database }: Command, values: Values, { print, env }: World): Target {
  if (values.print === true) {
    if (database === "read") throw new UsageError("this command reads: --print shows nothing");
    return { kind: "print", print };
  }
  if (values.remote === true) return { kind: "remote" };
  const stateDir = typeof values.state === "string" ? values.state : (env.STATE_DIR ?? ".wrangler/state");
  return { kind: "local", stateDir };
}

const overview = () => [
  "npm run ops -- <command> [options]; --help after a command shows its options",
  "",
  ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`),
];

function usage(command: Command): string[] {
  const rows = Object.entries(optionsOf(command)).map(([name, { value, list, required, help }]) => {
    const words = `--${name}${value === undefined ? "" : ` <${value}>`}${list ? " …" : ""}`;
    return `  ${words.padEnd(34)} ${help}${required ? " (required)" : ""}`;
  });
  return [`npm run ops -- ${command.name}`, command.summary, "", ...rows];
}
