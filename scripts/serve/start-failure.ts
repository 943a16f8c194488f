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
  if (error instanceof StartFailure) fail(error.sentence(command));
  throw error;
}

export const portTaken = (port: number, cause: unknown) =>
  new StartFailure(
    (command) => `Port ${port} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`,
    { cause },
  );
