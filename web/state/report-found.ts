import { API_PATH } from "../../core/api/paths.ts";

/** What a finder says of a bag (rules §5, "Found"); whatever is not said is left out. */
export interface Said {
  readonly airport?: string;
  readonly desk?: string;
  readonly words?: string;
  readonly position?: Place;
}

/** Where the device says it is. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracyMetres: number;
}

export type Reported = "received" | "tooMany" | "failed";

const TIMEOUT = 10_000;

/** Sent without key, session or proof: whoever finds a bag is nobody we know, and stays so. */
export async function reportFound(uniqueDeviceId: string, said: Said): Promise<Reported> {
  try {
    const { ok, status } = await fetch(`${API_PATH}/found-reports`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ uniqueDeviceId, ...said }),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (ok) return "received";
    return status === 429 ? "tooMany" : "failed";
  } catch {
    // Not reached, or not in time: the finder is asked to try again.
    return "failed";
  }
}

/** Asks the person, by their browser, and then the device; undefined where either says no. */
export const placeHere = (): Promise<Place | undefined> =>
  new Promise((resolve) => {
    const take = ({ coords }: GeolocationPosition) =>
      resolve({
        latitude: rounded(coords.latitude),
        longitude: rounded(coords.longitude),
        accuracyMetres: Math.ceil(coords.accuracy),
      });
    if (!("geolocation" in navigator)) resolve(undefined);
    else navigator.geolocation.getCurrentPosition(take, () => resolve(undefined), { timeout: 15_000 });
  });

/** To a metre: no device knows more. */
const rounded = (degrees: number) => Math.round(degrees * 100_000) / 100_000;
