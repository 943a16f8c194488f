import { afterEach, expect, test, vi } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { CborReader } from "../../core/encoding/cbor.ts";
import { SUITES } from "../../core/sec/suites.ts";
import { scriptedScene, traces } from "../test-support/scripted-scene.ts";

afterEach(() => vi.restoreAllMocks());

/** The exporter labels of the channel's IVs (protocol.md, A v2.1 transfer). */
const IV_LABELS = [32770, 32771];

/** IVs of channels, in the very buffers that they came in, from here on. */
function watchedIvs(): Bytes[] {
  const { hash } = SUITES[6];
  const { expand } = hash;
  const ivs: Bytes[] = [];
  vi.spyOn(hash, "expand").mockImplementation(async (key, info, length) => {
    const output = await expand(key, info, length);
    if (IV_LABELS.includes(new CborReader(info).int())) ivs.push(output);
    return output;
  });
  return ivs;
}

test.each(["transfer", "clear"] as const)("nothing of a session's keys is left after a %s", async (job) => {
  const ivs = watchedIvs();
  const scene = await scriptedScene("2.1", [{}]);
  expect(traces(scene, await scene[job]())).toMatchObject({ outcome: "ok", links: 1 });
  // Two of the client, and two of the scripted tag, which wipes nothing.
  expect(ivs.length).toBe(4);
  expect(ivs.filter((iv) => iv.every((byte) => byte === 0)).length).toBe(2);
});
