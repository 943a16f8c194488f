import { type Accessor, createEffect, createSignal, onMount } from "solid-js";
import type { WatchUpdates } from "../watch-updates.ts";

/** Milliseconds between two looks for a new version: a kiosk's page is not opened anew for days. */
const HOUR = 3_600_000;

/** A new version is taken at once where nobody is disturbed, and nowhere else. */
export function createUpdates(isQuiet: Accessor<boolean>, watchUpdates: WatchUpdates): void {
  const [update, setUpdate] = createSignal<() => void>();
  let looked = Date.now();

  onMount(() => watchUpdates((reload) => setUpdate(() => reload)));
  createEffect(() => {
    if (isQuiet()) update()?.();
  });
  createEffect(() => {
    if (!isQuiet() || Date.now() - looked < HOUR) return;
    looked = Date.now();
    void lookForUpdate();
  });
}

async function lookForUpdate(): Promise<void> {
  try {
    await (await navigator.serviceWorker?.getRegistration())?.update();
  } catch {
    // Offline: an hour later it is looked for again.
  }
}
