/**
 * How long each tag's e-paper took to change (milliseconds), on this device alone: the next progress bar fills as fast as the
 * tag does. It goes with everything else that a logout or a kiosk's wipe removes.
 */
const keyOf = (uniqueDeviceId: string) => `taglatch.display.${uniqueDeviceId}`;

/** Without one, and without storage, the usual time is assumed. */
export function displayTimeOf(uniqueDeviceId: string): number | undefined {
  try {
    return Number(localStorage.getItem(keyOf(uniqueDeviceId))) || undefined;
  } catch {
    return undefined;
  }
}

export function rememberDisplayTime(uniqueDeviceId: string, ms: number): void {
  try {
    localStorage.setItem(keyOf(uniqueDeviceId), String(ms));
  } catch {
    // Nothing depends on it.
  }
}
