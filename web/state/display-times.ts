/**
 * How long each tag's e-paper took to change, on this device alone: the next progress bar fills as fast as the tag does. It
 * goes with everything else a logout or a kiosk's wipe removes.
 */
const KEY = "taglatch.display-times";
/** A person has a few tags. */
const AT_MOST = 8;

type Times = readonly (readonly [uniqueDeviceId: string, ms: number])[];

export function displayTimeOf(uniqueDeviceId: string | undefined): number | undefined {
  return stored().find(([tag]) => tag === uniqueDeviceId)?.[1];
}

export function rememberDisplayTime(uniqueDeviceId: string, ms: number): void {
  const others = stored().filter(([tag]) => tag !== uniqueDeviceId);
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([[uniqueDeviceId, Math.round(ms)], ...others].slice(0, AT_MOST)),
    );
  } catch {
    // Without storage the usual time is assumed.
  }
}

function stored(): Times {
  try {
    const times: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(times) ? (times as Times) : [];
  } catch {
    return [];
  }
}
