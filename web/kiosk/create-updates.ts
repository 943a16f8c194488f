import { type Accessor, createEffect, createSignal, onCleanup, onMount } from "solid-js";
import type { InstallUpdate, WatchUpdates } from "../service-worker/watch-updates.ts";

/** Milliseconds between two checks for a new version: a kiosk's page is not reloaded for days. */
const HOUR = 3_600_000;

/** Installs a new version at once between visits, never during one. */
export function createUpdates(isQuiet: Accessor<boolean>, watchUpdates: WatchUpdates): void {
  const [update, setUpdate] = createSignal<InstallUpdate>();
  const [isDue, setDue] = createSignal(false);

  onMount(() => watchUpdates((install) => setUpdate(() => install)));
  // A timer: a kiosk that is not used has no other event.
  onMount(() => {
    const timer = setInterval(() => setDue(true), HOUR);
    onCleanup(() => clearInterval(timer));
  });
  createEffect(() => {
    const install = update();
    if (!isQuiet() || !install) return;
    // Waits for a job in another window, but only until a visit begins in this one.
    const quiet = new AbortController();
    onCleanup(() => quiet.abort());
    void install({ signal: quiet.signal });
  });
  createEffect(() => {
    if (!isQuiet() || !isDue()) return;
    setDue(false);
    void lookForUpdate();
  });
}

async function lookForUpdate(): Promise<void> {
  try {
    await (await navigator.serviceWorker?.getRegistration())?.update();
  } catch {
    // Offline: the next check is an hour later.
  }
}
