import { type Accessor, type Component, createSignal, lazy, onCleanup } from "solid-js";
import { loadAhead, whenIdle } from "../state/browser.ts";

/** A part of a screen that the rest does without: where its file cannot be loaded, as offline, nothing is drawn. */
export const optional = <Props extends object>(load: () => Promise<Component<Props>>) =>
  lazy(async () => ({ default: await load().catch((): Component<Props> => () => undefined) }));

/** What `navigator` says of the network; `connection` in Chromium alone. */
interface Network {
  readonly onLine: boolean;
  readonly connection?: { readonly saveData?: boolean };
}

/** Milliseconds: until then a person finds their way, and what runs a new screen's code holds up a slow phone. */
const SETTLED = 5_000;

/**
 * Loads what the next screen needs once this one is at rest, so that the tap does not wait for it. Not where the person saves
 * data: they may never tap.
 */
export function prefetch(load: () => Promise<unknown>, network: Network = navigator): void {
  if (network.connection?.saveData) return;
  setTimeout(() => whenIdle(() => loadAhead(load, network)), SETTLED);
}

/**
 * True at once, or later: usually after the next drawing, since what lies below the screen's end must not hold up what is on
 * it; with `setTimeout` in the next task, so that two halves of one drawing are not one long task.
 */
export function createDeferredFlag(
  isNow: boolean,
  later: (work: () => void) => unknown = whenIdle,
): Accessor<boolean> {
  const [isThere, setThere] = createSignal(isNow);
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });
  if (!isNow) later(() => isGone || setThere(true));
  return isThere;
}
