import { SecError } from "./errors.ts";

/**
 * A step of the handshake that can be taken once. Whoever goes on takes the contents out *before* the first
 * `await`, so a failure, a second call or a parallel call finds nothing: aborted is the default.
 */
export class Once<Step extends string, Contents extends object> {
  readonly step: Step;
  #contents: Contents | undefined;

  constructor(step: Step, contents: Contents) {
    this.step = step;
    this.#contents = contents;
  }

  /** The contents, for the first caller; throws `STATE` for every later one. */
  take(): Contents {
    const contents = this.#contents;
    this.#contents = undefined;
    if (contents === undefined) throw new SecError("STATE", { message: `${this.step} was already left` });
    return contents;
  }

  /** Gives the step up: zeroes every byte string in it and forgets the rest. Idempotent. */
  discard(): void {
    const contents = this.#contents;
    this.#contents = undefined;
    if (contents !== undefined) wipe(...Object.values(contents));
  }
}

/** Zeroes every argument that is a byte string. Best effort: an engine may hold copies of its own. */
export function wipe(...values: readonly unknown[]): void {
  for (const value of values) if (value instanceof Uint8Array) value.fill(0);
}
