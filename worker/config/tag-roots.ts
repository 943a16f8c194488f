import { type Bytes, fromBase64 } from "../../core/encoding/bytes.ts";
import type { IdPrefixes } from "../../core/pki/tag-roots.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import type { Settings } from "./env.ts";

/**
 * DER of the CAs that tags may chain to: the operator's, and in development also the demo tags' (rules §8).
 */
export function trustedTagRoots({ environment, tagRoots }: Settings): readonly Bytes[] {
  return environment === "development" ? [...tagRoots, fromBase64(demoTagCa.certificate)] : tagRoots;
}

/** The ids that each of them may name, where there are lists; the demo's CA may name all. */
export function trustedTagRootIds({ environment, tagRootIds }: Settings): readonly IdPrefixes[] | undefined {
  return environment === "development" && tagRootIds !== undefined ? [...tagRootIds, [""]] : tagRootIds;
}
