/** A virtual tag that trusts the shared authorities, and apps before it. */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagConfig, TagCredential, TagEvent, TagWorld } from "../../sim/tag/tag-types.ts";
import type { Taglatch, TaglatchConfig } from "../api.ts";
import { createTaglatch } from "../index.ts";
import { webBluetoothRadio } from "../tag/web-bluetooth-link.ts";
import { sharedAuthorities } from "./authorities.ts";
import type { FakeService } from "./fake-service.ts";

export const IDS = { "2.1": "ebt-21-0001", "2.0": "ebt-20-0005" } as const;

const credentials = new Map<string, Promise<TagCredential>>();

/** Of the tag with this id: always the same one. */
export async function credentialOf(id: string): Promise<TagCredential> {
  const { tag } = await sharedAuthorities();
  const credential = credentials.get(id) ?? tag(id);
  credentials.set(id, credential);
  return credential;
}

/** A tag, and what it does from now on. */
export async function virtualTag(generation: GattVersion, world: TagWorld, changes: Partial<TagConfig> = {}) {
  const { clientRoot, tokenJwk } = await sharedAuthorities();
  const id = changes.id ?? IDS[generation];
  const own = generation === "2.1" && { credential: await credentialOf(id) };
  const trust = { clientRoots: [clientRoot], tokenKeys: [tokenJwk] };
  const tag = await TagSimulator.create({ id, generation, ...trust, ...own, ...changes }, world);
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  return { tag, events };
}

let databases = 0;

/** An app instance (its own key and storage) before `service`. */
export function appOf(
  { fetch }: FakeService,
  bluetooth: Bluetooth | undefined,
  config: Partial<TaglatchConfig> = {},
): Taglatch {
  return createTaglatch({
    baseUrl: "https://service.example",
    databaseName: `app-${databases++}`,
    fetch,
    radio: webBluetoothRadio(() => bluetooth),
    ...config,
  });
}
