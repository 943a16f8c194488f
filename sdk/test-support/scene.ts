/** One passenger, one service, one virtual tag, and Web Bluetooth between them. */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import type { TagConfig } from "../../sim/tag/tag-types.ts";
import type { TaglatchConfig } from "../api.ts";
import type {
  CustodyProofCollector,
  CustodyProofInput,
  CustodyProofPrompt,
  ProgressEvent,
  Result,
} from "../types.ts";
import { sharedAuthorities } from "./authorities.ts";
import { FakeService } from "./fake-service.ts";
import { valueIn } from "./value-in.ts";
import { appOf, credentialOf, virtualTag } from "./virtual-tag.ts";

export { valueIn } from "./value-in.ts";

export type Scene = Awaited<ReturnType<typeof scene>>;

export interface SceneOptions {
  readonly generation?: GattVersion;
  readonly tag?: Partial<TagConfig>;
  readonly client?: Partial<TaglatchConfig>;
  /** Further fields of the service's configuration. */
  readonly configuration?: object;
}

export async function scene({ generation = "2.1", ...options }: SceneOptions = {}) {
  const service = new FakeService(await sharedAuthorities());
  Object.assign(service.configuration, options.configuration);
  const { tag } = await virtualTag(generation, realTimeWorld(), {
    displayMs: 30,
    ...(generation === "2.1" && { wrongCredential: await credentialOf("ebt-21-9999") }),
    ...options.tag,
  });
  const bluetooth = fakeBluetooth([tag], async ([first]) => first);
  /** Another app instance (its own key and storage) before the same service and tag. */
  const another = (changes?: Partial<TaglatchConfig>) => appOf(service, bluetooth, changes);
  const client = another(options.client);
  const picked = valueIn(await client.pickTag());
  // pickTag prepares in the background; the scene begins when that has come to rest.
  await client.session.prepare();
  const events: ProgressEvent[] = [];
  const request = {
    deviceId: picked.deviceId,
    uniqueDeviceId: picked.uniqueDeviceId,
    baggageId: 3,
    journeyId: "j-1",
  };
  return {
    service,
    tag,
    client,
    picked,
    request,
    events,
    onProgress: (event: ProgressEvent) => void events.push(event),
    another,
  };
}

/** A failed result as `Class:code`, a good one as `ok`. */
export function outcomeOf(result: Result<unknown>): string {
  return result.ok ? "ok" : `${result.error.name}:${result.error.code}`;
}

/** A dialog that gives `answers` one after the other and remembers how it was asked. */
export function collectorOf(...answers: readonly (CustodyProofInput | null)[]): CustodyProofCollector & {
  readonly prompts: CustodyProofPrompt[];
} {
  const prompts: CustodyProofPrompt[] = [];
  return {
    prompts,
    async collect(prompt) {
      prompts.push(prompt);
      return answers[prompts.length - 1] ?? null;
    },
  };
}

export const RIGHT = { recordLocator: "ABC123", surname: "Lovelace" };
export const WRONG = { recordLocator: "ABC124", surname: "Lovelace" };
