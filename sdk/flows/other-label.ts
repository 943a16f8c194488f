/**
 * A tag that shows another person's label: between a tag's commit and its attachment no lock protects what it shows. A v2.1
 * tag states who wrote it, and the service reads it (`lastCommit`); of a v2.0 tag there is only what INFO says.
 */
import { orCancelled } from "../abort.ts";
import { OtherLabelError } from "../errors.ts";
import type { OnOtherLabel, OutboxEntry } from "../types.ts";
import type { SeenLock } from "./custody.ts";
import type { TagConnection } from "./tag-connection.ts";

export class OtherLabel {
  /** The label was another's, and is written over. */
  replaced = false;
  readonly #decide: OnOtherLabel | undefined;
  readonly #connection: TagConnection;
  readonly #signal: AbortSignal;

  constructor(decide: OnOtherLabel | undefined, connection: TagConnection, signal: AbortSignal) {
    this.#decide = decide;
    this.#connection = connection;
    this.#signal = signal;
  }

  /** Throws {@link OtherLabelError} if there is a question to ask: it may take longer than a token lives. */
  found(): void {
    if (this.replaced) return;
    if (this.#decide !== undefined) throw new OtherLabelError();
    this.replaced = true;
  }

  /** Resolves if the label is to be replaced. Throws {@link OtherLabelError}, `cancelled`. */
  async ask(): Promise<void> {
    const { device } = this.#connection;
    const answer = this.#decide?.({ device, signal: this.#signal }) ?? "replace";
    if ((await orCancelled(this.#signal, Promise.resolve(answer))) !== "replace") throw new OtherLabelError();
    this.replaced = true;
  }
}

/**
 * Whether a tag that no other journey has locked may show another's label. `unsettled`: what the outbox has of this tag.
 * Undefined: the tag states it itself, at endpoint 8.
 */
export function isOthers(
  { isOurs, hasEnded }: SeenLock,
  { shows, signs }: { readonly shows: boolean; readonly signs: boolean },
  baggageId: number,
  unsettled: readonly OutboxEntry[],
): boolean | undefined {
  const attached = unsettled.filter(({ kind }) => kind === "attach");
  // The tag has taken that write, or not: no one knows.
  if (attached.some((entry) => entry.unresolved !== undefined && entry.baggageId !== baggageId)) return true;
  if (!shows || isOurs) return false;
  return signs ? undefined : !hasEnded && attached.length === 0;
}
