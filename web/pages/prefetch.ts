import { whenIdle } from "../state/browser.ts";

/** What Chromium says of the network; other browsers say nothing. */
interface Network {
  readonly saveData?: boolean;
}

/** Milliseconds: until then a person finds their way, and what runs a new screen's code holds up a slow phone. */
const SETTLED = 5_000;

/**
 * Loads what the next screen needs once this one is at rest, so that the tap does not wait for it. Not where the person saves
 * data: they may never tap.
 */
export function prefetch(
  load: () => Promise<unknown>,
  { connection }: { readonly connection?: Network } = navigator as { readonly connection?: Network },
): void {
  if (connection?.saveData) return;
  // The tap loads it again, and says so if it cannot.
  setTimeout(() => whenIdle(() => void load().catch(() => undefined)), SETTLED);
}
