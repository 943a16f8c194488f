/**
 * How a command reads its words: options declared once, `--help` made from them, and a sentence with exit code 2 for
 * words that are wrong.
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";

/** It cannot be done; the message says why, for the person who typed the command. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** The words of a command were wrong. Without a message, its help says what is missing. */
export class WordsError extends UsageError {
  override readonly name = "WordsError";
}

export interface Option {
  /** What stands behind it; absent: a switch. `list` may be given several times. */
  readonly value?: string;
  readonly list?: true;
  readonly required?: true;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** Every value is a number. */
  readonly isNumber?: true;
  /** What is wrong with a value, to follow the option's name; absent: any text is right. */
  readonly fault?: (value: string) => string | undefined;
  /** It names what must be there when the command begins. */
  readonly reads?: "file" | "folder";
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface CommandLine<Declared extends Options = Options> {
  /** As it is typed. */
  readonly usage: string;
  /** What words without dashes mean; absent where there may be none. */
  readonly words?: Readonly<Record<string, string>>;
  readonly options: Declared;
}

/** The value of an option: one of its choices, a number, or any text. */
type One<Declared> = Declared extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Declared extends { readonly isNumber: true }
    ? number
    : string;

/** The values of options that were declared so; a list has no repetitions. */
export type ValuesOf<Declared extends Options> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { readonly value: string }
    ? Declared[Name] extends { readonly list: true }
      ? readonly One<Declared[Name]>[]
      : One<Declared[Name]> | (Declared[Name] extends { readonly required: true } ? never : undefined)
    : boolean;
};

export interface Given<Declared extends Options> {
  readonly values: ValuesOf<Declared>;
  readonly words: readonly string[];
}

/** As parseArgs gives them. */
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** 0: done. 1: it failed, or what was checked is not so. 2: the words were wrong, and nothing was done. */
export const exitCodeOf = (error: unknown): 1 | 2 => (error instanceof WordsError ? 2 : 1);

/** Runs the command of this process. `sentenceOf` puts a failure in words; what it has none for is shown whole. */
export async function runCommand<const Declared extends Options>(
  line: CommandLine<Declared>,
  run: (given: Given<Declared>) => unknown,
  sentenceOf: (error: unknown) => string | undefined = (error) =>
    error instanceof UsageError ? error.message : undefined,
): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) return console.log(helpOf(line));
  try {
    await run(readCommandLine(line, args));
  } catch (error) {
    console.error(error instanceof WordsError ? complaint(line, error) : (sentenceOf(error) ?? error));
    process.exit(exitCodeOf(error));
  }
}

const complaint = (line: CommandLine, { message }: WordsError): string =>
  message === "" ? helpOf(line) : `${message}.\n${helpOf(line)}`;

/** Throws {@link WordsError} for what `line` does not have or does not get. */
export function readCommandLine<const Declared extends Options>(
  { options, words }: CommandLine<Declared>,
  args: readonly string[],
): Given<Declared> {
  const { values, positionals } = parsed(options, args, words !== undefined);
  requireRead(options, values);
  return { values: valuesOf(options, values), words: positionals };
}

/** The values of `options` among those of a command line. */
export const valuesOf = <Declared extends Options>(options: Declared, values: Values): ValuesOf<Declared> =>
  Object.fromEntries(
    Object.entries<Option>(options).map(([name, option]) => {
      const given = values[name];
      if (option.value === undefined) return [name, given === true];
      if (option.list) return [name, [...new Set([given ?? []].flat())]];
      return [name, option.isNumber && given !== undefined ? Number(given) : given];
    }),
  ) as ValuesOf<Declared>;

/** The options in `args`, without a look at the files that they name. Throws {@link WordsError}. */
export const readOptions = (options: Options, args: readonly string[]): Values =>
  parsed(options, args, false).values;

/** Throws {@link WordsError} where an option names a file or folder to read that is not there. */
export function requireRead(options: Options, values: Values): void {
  for (const [name, { reads }] of Object.entries(options)) {
    for (const path of [values[name]].flat()) {
      if (reads !== undefined && typeof path === "string" && !isThere(path, reads))
        throw new WordsError(`--${name} names no ${reads}: ${path}`);
    }
  }
}

function isThere(path: string, reads: "file" | "folder"): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return (reads === "file" ? found?.isFile() : found?.isDirectory()) === true;
}

export function helpOf({ usage, words = {}, options }: CommandLine): string {
  const own = Object.entries(words).map(([word, help]) => row(word, help));
  return [usage, ...own, ...optionLines(options), row("--help", "these lines")].join("\n");
}

export const optionLines = (options: Options): string[] =>
  Object.entries(options).map(([name, { value, list, required, help }]) => {
    const words = `--${name}${value === undefined ? "" : ` <${value}>`}${list ? " …" : ""}`;
    return row(words, `${help}${required ? " (required)" : ""}`);
  });

const row = (words: string, help: string) => `  ${words.padEnd(34)} ${help}`;

function parsed(declared: Options, args: readonly string[], allowPositionals: boolean) {
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { value, list }]) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, { type, multiple: list === true }];
    }),
  );
  try {
    const tied = tieValues(args, declared);
    const { values, positionals, tokens } = parseArgs({
      args: tied,
      options,
      allowPositionals,
      tokens: true,
    });
    const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const twice = names.find((name, index) => !declared[name]?.list && names.indexOf(name) < index);
    if (twice !== undefined) throw new WordsError(`--${twice} is given twice`);
    requireRight(declared, values);
    return { values, positionals };
  } catch (error) {
    if (error instanceof TypeError) throw new WordsError(error.message);
    throw error;
  }
}

function requireRight(declared: Options, values: Values): void {
  for (const [name, { required, fault }] of Object.entries(declared)) {
    const given = [values[name]].flat().filter((value) => typeof value === "string");
    if (required && given.length === 0) throw new WordsError(`--${name} is missing`);
    for (const value of given) {
      const wrong = value.trim() === "" ? "is empty" : fault?.(value);
      if (wrong !== undefined) throw new WordsError(`--${name} ${wrong}`);
    }
  }
}

/** A value may begin with a dash, as a hash may: it is tied to its option, which parseArgs wants then. */
function tieValues(args: readonly string[], declared: Options): string[] {
  const takesOne = (arg = "") => arg.startsWith("--") && declared[arg.slice(2)]?.value !== undefined;
  const isTied = (at: number) => takesOne(args[at - 1]) && DASHED.test(args[at] ?? "");
  return args.flatMap((arg, at) => (isTied(at) ? [] : isTied(at + 1) ? [`${arg}=${args[at + 1]}`] : [arg]));
}

/** What begins with a dash and does not look like an option. */
const DASHED = /^-(?!-[a-z-]+(?:=|$))/;
