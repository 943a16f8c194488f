import "fake-indexeddb/auto";
import { payloadDigest } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { neverCancelled } from "../abort.ts";
import type { TaglatchConfig } from "../api.ts";
import type { Delivery, SecuredTag } from "../tag/secured-tag.ts";
import { openTag } from "../tag/tag.ts";
import { secureV20 } from "../tag/v20.ts";
import { type SecureOptions, secureV21 } from "../tag/v21.ts";
import type { ProgressEvent, Result, TransferTagRequest } from "../types.ts";
import { sharedAuthorities } from "./authorities.ts";
import { FakeService } from "./fake-service.ts";
import { type Script, type ScriptedConnection, ScriptedTag } from "./scripted-tag.ts";
import { appOf, credentialOf, IDS } from "./virtual-tag.ts";

/** A client of ours before a tag that follows a script, in virtual time. */

/** Longer than every patience of the SDK (virtual milliseconds). */
const BUDGET = 200_000;

async function makeTroupe() {
  const authorities = await sharedAuthorities();
  return { authorities, client: await authorities.client(), tag: await credentialOf(IDS["2.1"]) };
}

let shared: ReturnType<typeof makeTroupe> | undefined;

/** Keys and certificates, made once. */
export function troupe() {
  shared ??= makeTroupe();
  return shared;
}

export async function scriptedTag(generation: GattVersion): Promise<ScriptedTag> {
  const { authorities, tag } = await troupe();
  return new ScriptedTag({ id: IDS[generation], generation, authorities, credential: tag });
}

/** What `work` resolves with; in virtual time. */
export function virtually<Value>(work: () => Promise<Value>): Promise<Value> {
  return new VirtualTime(1).run(BUDGET, work);
}

/** Reads the tag and secures it, by v2.1 with `options` for what else is to be so. */
export async function secure(
  tag: ScriptedTag,
  connection: ScriptedConnection,
  options: Partial<SecureOptions> = {},
): Promise<SecuredTag> {
  const { client, authorities } = await troupe();
  const open = await openTag(connection, neverCancelled());
  if (tag.options.generation === "2.0") return secureV20(open, client.chain, neverCancelled());
  const verifyTag: SecureOptions["verifyTag"] = (chain) =>
    verifyChain({ chain, anchors: [authorities.tagRoot], eku: EKU_TAG, at: new Date() });
  return secureV21(open, { credential: client, verifyTag, ...options }, neverCancelled());
}

/** A session with a tag that follows `script`, and the tag's end of it. */
export async function session(generation: GattVersion, script: Script = {}) {
  const tag = await scriptedTag(generation);
  const connection = tag.connect(script);
  return { tag, connection, session: await secure(tag, connection) };
}

/** `Class:code` of what `work` throws, `done` where it throws nothing. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { name: string; code: string }) => `${error.name}:${error.code}`,
  );

/** What `work` comes to with a tag that follows `script`, and what is left of session and link. */
export async function outcomeWith(
  generation: GattVersion,
  script: Script,
  work: (made: Awaited<ReturnType<typeof session>>) => Promise<unknown>,
) {
  return virtually(async () => {
    const made = await session(generation, script);
    const code = await codeOf(work(made));
    const { state, open } = made.session;
    return { code, state, open, linked: made.connection.open, at: performance.now() };
  });
}

/** What becomes of securing a tag that follows `script`. */
export async function securedWith(
  generation: GattVersion,
  script: Script,
  options: Partial<SecureOptions> = {},
) {
  const tag = await scriptedTag(generation);
  const connection = tag.connect(script);
  return virtually(async () => {
    const outcome = await codeOf(secure(tag, connection, options));
    return { outcome, open: connection.open, at: performance.now() };
  });
}

/** A payload to write, and what is reported of it. */
export async function delivery(payload: Bytes): Promise<Delivery & { readonly reported: string[] }> {
  const reported: string[] = [];
  return {
    payload,
    digest: await payloadDigest(payload),
    onProgress: (fraction) => reported.push(fraction.toFixed(3)),
    onCommit: async () => void reported.push("commit"),
    reported,
  };
}

/** The whole SDK before a tag that follows scripts, one per connection, in virtual time. */

export async function scriptedScene(
  generation: GattVersion,
  scripts: readonly (Script | "out of reach")[],
  config: Partial<TaglatchConfig> = {},
) {
  const { authorities } = await troupe();
  const service = new FakeService(authorities);
  const tag = await scriptedTag(generation);
  const client = appOf(service, undefined, { radio: tag.radio(...scripts), ...config });
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
