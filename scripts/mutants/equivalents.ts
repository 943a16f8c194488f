/** Faults that change nothing anybody can see: left out of the choice. By the text of their lines, so that files may move. */
export interface Equivalent {
  /** The line as it is, and as the fault makes it, white space collapsed: what the list of survivors prints. */
  readonly original: string;
  readonly mutated: string;
  readonly reason: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    original: "if (at !== undefined) checkTimes(path, at);",
    mutated: "if (true) checkTimes(path, at);",
    reason: "nothing is before or after undefined; the types want the condition",
  },
];
