import {
  type Options,
  optionLines,
  readOptions,
  requireRead,
  type Values,
  valuesOf,
  WordsError,
} from "../../kit/command-line.ts";
import { type Command, type Context, TARGET_OPTIONS } from "./command.ts";
import { COMMANDS, EXAMPLES } from "./commands.ts";
import { type OpenDatabase, openDatabase, type Target } from "./database.ts";
import { readSecrets } from "./files.ts";
import { asLines, type Found, saidBy, sentenceOf } from "./show.ts";

/** From the words of a command line to a command that has run. */

export interface World {
  print(line: string): void;
  /** Takes progress, which is no part of the answer. */
  note?(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens the database; a test has one open already. */
  readonly open?: (target: Target) => Promise<OpenDatabase>;
}

/** Runs the command that `words` name. Throws WordsError where they name none or name it wrongly. */
export async function operate(
  words: readonly string[],
  { print, env, note = () => undefined, open = openDatabase }: World,
): Promise<void> {
  const [command, rest] = find(words);
  if (command === undefined || rest.includes("--help")) {
    for (const line of command === undefined ? overview(words) : usage(command)) print(line);
    const named = words.filter((word) => !word.startsWith("-"));
    const isAsked = words.includes("--help") && named.length === 1 && ofGroup(named).length > 0;
    if (command === undefined && named.length > 0 && !isAsked)
      throw new WordsError(`no command ${words.join(" ")}`);
    return;
  }
  const values = readOptions(optionsOf(command), rest);
  requireRead(optionsOf(command), values);
  const target = targetOf(command, values, env);
  const path =
    typeof values.secrets === "string" ? values.secrets : target.kind === "local" ? ".dev.vars" : undefined;
  const secrets = () => {
    if (path === undefined) throw new WordsError("--secrets is missing");
    return readSecrets(path);
  };
  const database = command.database === "none" ? undefined : await open(target);
  try {
    // Commands without a database do not look at it.
    const db = database?.db as Context["db"];
    const { archive } = database ?? {};
    if (database !== undefined) note(`database: ${database.name}`);
    const speaking = speakingOf(values.json === true, { print, note });
    const environment = target.kind === "remote" ? target.environment : undefined;
    const where = { db, archive, isRemote: target.kind === "remote", environment };
    const own = valuesOf(command.options ?? {}, values);
    const found = command.run(own, { ...speaking, ...where, secrets, note });
    // What was found is said even where it is bad.
    await found.then(
      () => speaking.end(),
      (error: unknown) => {
        speaking.end(sentenceOf(error));
        throw error;
      },
    );
  } finally {
    await database?.close();
  }
}

/** How a command answers: in lines, or in one piece of JSON. */
function speakingOf(isJson: boolean, { print, note }: Required<Pick<World, "print" | "note">>) {
  if (!isJson) {
    const show = (found: Found) => {
      // For eyes alone: a pipe gets rows.
      if (Array.isArray(found) && found[0] !== undefined) note(Object.keys(found[0]).join("\t"));
      asLines(found).forEach(print);
    };
    return { print, show, end: () => undefined };
  }
  const said: string[] = [];
  const shown: Found[] = [];
  return {
    print: (line: string) => void said.push(line),
    show: (found: Found) => void shown.push(found),
    end: (error?: string) => print(JSON.stringify(shown[0] ?? { said, error }, null, 2)),
  };
}

type Named = (typeof COMMANDS)[number];

/** The command with the longest name that begins `words`, and what comes after it. */
function find(words: readonly string[]): readonly [Named | undefined, readonly string[]] {
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  return [command, words.slice(command?.name.split(" ").length ?? 0)];
}

function optionsOf({ options, database }: Command): Options {
  const { state, secrets, json } = TARGET_OPTIONS;
  if (database === "local") return { ...options, state, secrets, json };
  return database === "none" ? { ...options, json } : { ...options, ...TARGET_OPTIONS };
}

function targetOf({ database }: Command, values: Values, env: World["env"]): Target {
  const { remote, env: environment, state } = valuesOf(TARGET_OPTIONS, values);
  // A command without a database may have an --env of its own.
  if (environment !== undefined && !remote && database !== "none")
    throw new WordsError("--env is for --remote: this machine has one database");
  if (remote) return { kind: "remote", environment };
  return { kind: "local", stateDir: state ?? (env.STATE_DIR || undefined), port: env.PORT || undefined };
}

/** The commands whose names begin with the same word, or all of them. */
const overview = (words: readonly string[]) => [
  "npm run ops -- <command> [options]; --help after a command shows its options",
  "",
  ...(ofGroup(words).length > 0 ? ofGroup(words) : COMMANDS).map(
    ({ name, summary }) => `  ${name.padEnd(18)} ${summary}`,
  ),
];

const ofGroup = ([group]: readonly string[]) => COMMANDS.filter(({ name }) => name.split(" ")[0] === group);

function usage(command: Named): string[] {
  const { name, summary, options = {} } = command;
  const line = `npm run ops -- ${name}`;
  const required = Object.entries(options).flatMap(([option, { required, value }]) =>
    required ? [` --${option} <${value}>`] : [],
  );
  return [
    `${line}${required.join("")}`,
    summary,
    "",
    ...optionLines(optionsOf(command)),
    ...(EXAMPLES[name] ?? []).flatMap((words) => ["", `${line} ${words}`.trimEnd()]),
  ];
}

/** Runs a command within another and returns the lines it printed. Throws UsageError: those lines, then the reason. */
export const operateWithin = (words: readonly string[]) =>
  saidBy((print) => operate(words, { print, env: {} }));
