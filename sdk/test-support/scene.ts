/** One passenger, one service, one virtual tag, and Web Bluetooth between them. */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagConfig } from "../../sim/tag/tag-types.ts";
import type { Taglatch, TaglatchConfig } from "../api.ts";
import { createTaglatch } from "../index.ts";
import { webBluetoothRadio } from "../tag/web-bluetooth-link.ts";
import type {
  CustodyProofCollector,
  CustodyProofInput,
  CustodyProofPrompt,
  PickedTag,
  ProgressEvent,
  Result,
  TransferTagRequest,
} from "../types.ts";
import { type Authorities, makeAuthorities } from "./authorities.ts";
import { FakeService } from "./fake-service.ts";
import { valueIn } from "./value-in.ts";

export { valueIn } from "./value-in.ts";

const IDS = { "2.1": "ebt-21-0001", "2.0": "ebt-20-0005" } as const;

let shared: Promise<Authorities> | undefined;

export interface Scene {
  readonly service: FakeService;
  readonly tag: TagSimulator;
  readonly client: Taglatch;
  readonly picked: PickedTag;
  readonly request: TransferTagRequest;
  readonly events: ProgressEvent[];
  readonly onProgress: (event: ProgressEvent) => void;
  /** Another app instance (its own key and storage) before the same service and tag. */
  another(config?: Partial<TaglatchConfig>): Taglatch;
}

export interface SceneOptions {
  readonly generation?: GattVersion;
  readonly tag?: Partial<TagConfig>;
  readonly client?: Partial<TaglatchConfig>;
  /** Further fields of the service's configuration. */
  readonly configuration?: object;
}

let databases = 0;

const tagConfig = async (
  authorities: Authorities,
  id: string,
  generation: GattVersion,
): Promise<TagConfig> => ({
  id,
  generation,
  clientRoots: [authorities.clientRoot],
  tokenKeys: [authorities.tokenJwk],
  displayMs: 30,
  ...(generation === "2.1" && {
    credential: await authorities.tag(id),
    wrongCredential: await authorities.tag("ebt-21-9999"),
  }),
});

export async function scene({ generation = "2.1", ...options }: SceneOptions = {}): Promise<Scene> {
  shared ??= makeAuthorities();
  const authorities = await shared;
  const id = options.tag?.id ?? IDS[generation];
  const service = new FakeService(authorities);
  Object.assign(service.configuration, options.configuration);
  const config = { ...(await tagConfig(authorities, id, generation)), ...options.tag };
  const tag = await TagSimulator.create(config, realTimeWorld());
  const bluetooth = fakeBluetooth([tag], async ([first]) => first);
  const another = (changes: Partial<TaglatchConfig> = {}) =>
    createTaglatch({
      baseUrl: "https://service.example",
      databaseName: `scene-${databases++}`,
      fetch: service.fetch,
      radio: webBluetoothRadio(() => bluetooth),
      ...changes,
    });
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
    onProgress: (event) => events.push(event),
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
