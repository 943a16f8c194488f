/** Where the database is, unless STATE_DIR names another folder. An empty STATE_DIR counts as absent. */
export const STATE_DIR = process.env.STATE_DIR || ".wrangler/state";

/** A service cannot start, for a reason that a person can remove. */
export class StartFailure extends Error {
  override readonly name: string = "StartFailure";
  /** What is wrong, and a next step for a person who has typed `command`. */
  readonly sentence: (command: string) => string;
  constructor(sentence: (command: string) => string, options?: ErrorOptions) {
    super(sentence("npm start"), options);
    this.sentence = sentence;
  }
}

/** Ends the process with a sentence instead of a stack; 2 where the words of the command were wrong. */
export function fail(sentence: string, code: 1 | 2 = 1): never {
  console.error(sentence);
  process.exit(code);
}

/** For starting a server by `command`: a failure that a person can fix ends with a sentence, not a stack. */
export function endOnKnownFailure(error: unknown, command: string): never {
  const failure = error instanceof StartFailure ? error : databaseFailureOf(error);
  if (failure !== undefined) fail(failure.sentence(command));
  throw error;
}

export const portTaken = (port: number, cause: unknown) =>
  new StartFailure(
    (command) => `Port ${port} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`,
    { cause },
  );

const full = (command: string) =>
  `The disk is full. Free some space, or keep the database (now in ${STATE_DIR}) ` +
  `on another disk: STATE_DIR=/folder ${command}`;
const failed = (command: string) =>
  `The disk does not read or write the database in ${STATE_DIR}. ` +
  `Check the disk, or keep the database on another: STATE_DIR=/folder ${command}`;
const damaged = (command: string) =>
  `The database in ${STATE_DIR} is damaged. Delete the folder and start again (demo data comes back by itself), ` +
  `or choose another: STATE_DIR=.wrangler/state-2 ${command}`;

/** What SQLite, its codes and Node write. The first that matches decides: a full disk often shows as several errors. */
const SIGNS: readonly (readonly [RegExp, (command: string) => string])[] = [
  [/SQLITE_FULL|SQLITE_IOERR_SHMSIZE|database or disk is full|\bENOSPC\b|\bEDQUOT\b/, full],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|disk image is malformed|file is not a database/, damaged],
  [/SQLITE_IOERR|SQLITE_CANTOPEN|disk I\/O error|unable to open database file|\bEIO\b|\bEROFS\b/, failed],
];

/** What `error`, its causes or the runtime's own `lines` show of disk and database. The runtime hides SQLite's errors from callers. */
export function databaseFailureOf(error: unknown, lines: readonly string[] = []): StartFailure | undefined {
  const text = [...lines, ...messagesOf(error)].join("\n");
  const sentence = SIGNS.find(([sign]) => sign.test(text))?.[1];
  return sentence && new StartFailure(sentence, { cause: error });
}

const messagesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
