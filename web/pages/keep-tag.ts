import type { PickedTag } from "../../sdk/index.ts";
import type { KnownTag } from "../state/cached-journey.ts";

/** For the list of the person's tags; a browser without storage has none. */
export async function keepTag(
  { name, uniqueDeviceId, batteryLevel }: PickedTag,
  label: KnownTag["label"],
): Promise<void> {
  const tag = { name, uniqueDeviceId, battery: batteryLevel, label, at: Date.now() };
  await import("../state/cached-journey.ts").then((cache) => cache.keepTag(tag)).catch(() => undefined);
}
