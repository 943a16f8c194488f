/** A client of ours before a tag that follows a script, in virtual time. */
import type { GattVersion } from "../../core/gatt/profile.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { neverCancelled } from "../abort.ts";
import type { SecuredTag } from "../tag/secured-tag.ts";
import { openTag } from "../tag/tag.ts";
import { secureV20 } from "../tag/v20.ts";
import { type SecureOptions, secureV21 } from "../tag/v21.ts";
import { makeTroupe, type Troupe } from "./client-walker.ts";
import { type Script, type ScriptedConnection, ScriptedTag } from "./scripted-tag.ts";

/** Longer than every patience of the SDK (virtual milliseconds). */
const BUDGET = 200_000;

let shared: Promise<Troupe> | undefined;

/** Keys and certificates, made once. */
export function troupe(): Promise<Troupe> {
  shared ??= makeTroupe();
  return shared;
}

export async function scriptedTag(generation: GattVersion): Promise<ScriptedTag> {
  const { authorities, tag } = await troupe();
  const id = generation === "2.1" ? "ebt-21-0001" : "ebt-20-0005";
  return new ScriptedTag({ id, generation, authorities, credential: tag });
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
