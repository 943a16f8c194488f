/**
 * Keeps the screen on until the returned function is called. The browser drops its lock whenever the page is hidden, so it
 * is requested again.
 */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let over = false;

  const request = async () => {
    if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (over) await lock.release();
    } catch {
      // Battery saving or a policy forbids it: then the device's own settings decide (docs/operations.md).
    }
  };
  const ask = () => void request();

  ask();
  document.addEventListener("visibilitychange", ask);
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release();
  };
}
