import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import { verifyTranscript } from "../../core/vectors/transcript.ts";
import { scene, valueIn } from "../test-support/scene.ts";
import type { RecordedHandshake } from "./recorded-handshake.ts";

async function recordedBy(suites: readonly (3 | 6)[]): Promise<RecordedHandshake[]> {
  const recorded: RecordedHandshake[] = [];
  const { client, request } = await scene({
    tag: { suites },
    client: { onHandshake: (file) => recorded.push(file) },
  });
  valueIn(await client.transferTag(request));
  await expect.poll(() => recorded.length, { timeout: 60_000 }).toBeGreaterThan(0);
  return recorded;
}

describe("a recorded handshake", () => {
  it.each([
    [[6, 3], 6],
    [[3], 3],
  ] as const)("with a tag of suites %j is a verifiable transcript", async (suites, selected) => {
    const [file, ...more] = await recordedBy(suites);
    if (file === undefined) throw new Error("nothing was recorded");
    expect(more).toEqual([]);
    expect(file.suite).toBe(selected);
    const anchors = { initiator: file.trust_anchor_der, responder: file.tag_ca_der };
    const report = await verifyTranscript(file, (side, chain) =>
      verifyChain({
        chain,
        anchors: [fromHex(anchors[side])],
        eku: side === "initiator" ? EKU_CLIENT : EKU_TAG,
      }),
    );
    expect(report).toEqual({ ok: true, compared: Object.keys(file.values).length });
  });

  it("survives JSON", async () => {
    const [file] = await recordedBy([6, 3]);
    expect(JSON.parse(JSON.stringify(file))).toEqual(file);
  });
});
