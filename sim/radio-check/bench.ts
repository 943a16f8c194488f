/** What each check of a radio works with: one device, its connections, and how an operation ended. */

import type { RadioTestTag } from "./radio-test-tag.ts";
import type { ConnectionToCheck, LinkToCheck, RadioToCheck } from "./radio-to-check.ts";

export class CheckFailure extends Error {
  override readonly name = "CheckFailure";
}

/** Fails the check unless `condition`; `otherwise` says what was seen. */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new CheckFailure(otherwise);
}

export function mustBe<T extends string | number | boolean>(
  seen: T,
  expected: readonly T[],
  what: string,
): void {
  must(expected.includes(seen), `${what}: ${String(seen)} instead of ${expected.join(" or ")}`);
}

export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

export const neverAborted = () => new AbortController().signal;

export interface Outcome {
  /** `done`, the error's code, or what was thrown in its place. */
  readonly code: string;
  /** Milliseconds until then. */
  readonly after: number;
}

export async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  const began = performance.now();
  const code = await work.then(() => "done", codeOf);
  return { code, after: performance.now() - began };
}

function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === "string" ? code : `an error without a code (${String(name ?? error)})`;
}

export class Bench {
  readonly radio: RadioToCheck;
  readonly #tag: RadioTestTag | undefined;
  readonly #uniqueDeviceId: string | undefined;
  #link: LinkToCheck | undefined;
  #connections: ConnectionToCheck[] = [];
  retries = 0;

  constructor(radio: RadioToCheck, tag: RadioTestTag | undefined, uniqueDeviceId: string | undefined) {
    this.radio = radio;
    this.#tag = tag;
    this.#uniqueDeviceId = uniqueDeviceId ?? tag?.id;
  }

  /** The tag where it is a test tag: checks that need one run only with it. */
  get tag(): RadioTestTag {
    if (this.#tag === undefined) throw new Error("this check needs a test tag");
    return this.#tag;
  }

  /** The chooser opens once for all checks. */
  async link(): Promise<LinkToCheck> {
    this.#link ??= await this.radio.choose(this.#uniqueDeviceId, neverAborted());
    return this.#link;
  }

  async connect(signal = neverAborted()): Promise<ConnectionToCheck> {
    const link = await this.link();
    const connection = await link.connect(signal, () => this.retries++);
    this.#connections.push(connection);
    return connection;
  }

  /** Ends what the check left, so that the next one begins afresh. */
  async clear(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
    this.retries = 0;
    this.#tag?.reset();
    await pause(100);
  }
}

export interface Check {
  readonly name: string;
  /** Runs against a real tag, too: it needs no fault on purpose. */
  readonly real?: true;
  run(bench: Bench): Promise<void>;
}
