/** It cannot be done; the message says why, for the person who typed the command. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** The words of a command were wrong. */
export class WordsError extends UsageError {
  override readonly name = "WordsError";
}
