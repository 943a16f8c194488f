import { whenIdle } from "../state/browser.ts";

/** What Chromium says of the network; other browsers say nothing. */
interface Network {
  readonly saveData?: boolean;
}

/**
 * Loads what the next screen needs once this one is drawn, so that the tap does not wait for it. Not where the person saves
 * data: they may never tap.
 */
export function prefetch(
  load: () => Promise<unknown>,
  { connection }: { readonly connection?: Network } = navigator as { readonly connection?: Network },
): void {
  if (connection?.saveData) return;
  // The tap loads it again, and says so if it cannot.
  whenIdle(() => void load().catch(() => undefined));
}
