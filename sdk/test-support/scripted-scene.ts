/** The whole SDK before a tag that follows scripts, one per connection, in virtual time. */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { TaglatchConfig } from "../api.ts";
import { createTaglatch } from "../index.ts";
import type { ProgressEvent, Result, TransferTagRequest } from "../types.ts";
import { FakeService } from "./fake-service.ts";
import { scriptedTag, troupe, virtually } from "./scripted-session.ts";
import type { Script } from "./scripted-tag.ts";

let databases = 0;

export async function scriptedScene(
  generation: GattVersion,
  scripts: readonly (Script | "out of reach")[],
  config: Partial<TaglatchConfig> = {},
) {
  const { authorities } = await troupe();
  const service = new FakeService(authorities);
  const tag = await scriptedTag(generation);
  const client = createTaglatch({
    baseUrl: "https://service.example",
    databaseName: `scripted-${databases++}`,
    fetch: service.fetch,
    radio: tag.radio(...scripts),
    ...config,
  });
  const events: ProgressEvent[] = [];
  const request: TransferTagRequest = {
    deviceId: "scripted",
    uniqueDeviceId: tag.options.id,
    baggageId: 3,
    journeyId: "j-1",
  };
  const onProgress = (event: ProgressEvent) => void events.push(event);
  return {
    service,
    tag,
    client,
    request,
    events,
    transfer: (changes: Partial<TransferTagRequest> = {}) =>
      virtually(() => client.transferTag({ ...request, ...changes }, undefined, { onProgress })),
    clear: () => virtually(() => client.clearTag(request, { onProgress })),
  };
}

export type ScriptedScene = Awaited<ReturnType<typeof scriptedScene>>;

/** What of a job's work is seen from outside. */
export function traces({ service, tag, events }: ScriptedScene, result: Result<unknown>) {
  return {
    outcome: result.ok ? "ok" : `${result.error.name}:${result.error.code}`,
    links: tag.connections.length,
    open: tag.connections.filter(({ open }) => open).length,
    tokens: service.count("ebt-authorizations"),
    commits: tag.commits,
    retries: events.flatMap((event) => (event.type === "retrying" ? [event.reason] : [])),
  };
}
