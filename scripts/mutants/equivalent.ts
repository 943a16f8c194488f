/** A fault that changes nothing anybody can see. By the text of its line, so that files may move. */
export interface Equivalent {
  /** The line as it is, and as the fault makes it, white space collapsed: what the list of survivors prints. */
  readonly original: string;
  readonly mutated: string;
  readonly reason: string;
}

/** One reason for several faults of a line. */
export function all(original: string, mutated: readonly string[], reason: string): Equivalent[] {
  return mutated.map((each) => ({ original, mutated: each, reason }));
}
