import { onCleanup, onMount } from "solid-js";

/**
 * Keeps the screen on while the page is visible; the browser drops the lock whenever it is hidden, so it is
 * requested again.
 */
export function createWakeLock(): void {
  let lock: WakeLockSentinel | undefined;

  const keepAwake = async () => {
    if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      // Battery saving or a policy forbids it: then the device's own settings decide (docs/operations.md).
    }
  };
  const ask = () => void keepAwake();

  onMount(() => {
    ask();
    document.addEventListener("visibilitychange", ask);
  });
  onCleanup(() => {
    document.removeEventListener("visibilitychange", ask);
    void lock?.release();
  });
}
