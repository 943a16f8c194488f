import { type Accessor, createEffect, createSignal, onCleanup, onMount } from "solid-js";
import type { InstallUpdate, WatchUpdates } from "../service-worker/watch-updates.ts";

/** Milliseconds between two looks for a new version: a kiosk's page is not opened anew for days. */
const HOUR = 3_600_000;

/** A new version is taken at once where nobody is disturbed, and nowhere else. */
export function createUpdates(isQuiet: Accessor<boolean>, watchUpdates: WatchUpdates): void {
  const [update, setUpdate] = createSignal<InstallUpdate>();
  let looked = Date.now();

  onMount(() => watchUpdates((install) => setUpdate(() => install)));
  createEffect(() => {
    const install = update();
    if (!isQuiet() || !install) return;
    // A job in another window is waited for, but only as long as nobody comes here.
    const quiet = new AbortController();
    onCleanup(() => quiet.abort());
    void install({ signal: quiet.signal });
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
