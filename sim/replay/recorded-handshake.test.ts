import { beforeAll, describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import { verifyTranscript } from "../../core/vectors/transcript.ts";
import type { TagConfig, TagEvent } from "../tag/tag-types.ts";
import { Central } from "../test-support/central.ts";
import { type Parties, parties, tagOf } from "../test-support/parties.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { handshakeFile } from "./recorded-handshake.ts";

let everybody: Parties;
beforeAll(async () => {
  everybody = await parties();
});

/** What a tag reports of `handshakes` connections, and the anchors of both sides. */
async function eventsOf(handshakes: number, changes: Partial<TagConfig>) {
  const world = new VirtualWorld(1);
  const tag = await tagOf(everybody, world, changes);
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  const central = new Central(tag, world, everybody);
  for (let i = 0; i < handshakes; i++) {
    await tag.connect();
    await central.handshake(changes.suites);
    tag.disconnect();
  }
  const anchors = { clientRoots: [everybody.clients.root], tagRoots: [everybody.tags.root] };
  return { events, anchors };
}

describe("the handshakes a virtual tag saves", () => {
  it.each([6, 3] as const)("verify as transcripts in suite %i", async (suite) => {
    const { events, anchors } = await eventsOf(1, { revealSecrets: true, suites: [suite] });
    const file = await handshakeFile(events, anchors);
    expect(Object.keys(file)).toEqual(["handshake_1"]);
    const { handshake_1: saved } = file;
    if (saved === undefined) throw new Error("nothing saved");
    expect(saved.suite).toBe(suite);
    const report = await verifyTranscript(saved, (side, chain) => {
      const [anchor, eku] =
        side === "initiator" ? [saved.trust_anchor_der, EKU_CLIENT] : [saved.tag_ca_der, EKU_TAG];
      return verifyChain({ chain, anchors: [fromHex(anchor)], eku: eku as typeof EKU_CLIENT });
    });
    expect(report).toEqual({ ok: true, compared: Object.keys(saved.values).length });
  });

  it("are numbered as they came", async () => {
    const { events, anchors } = await eventsOf(2, { revealSecrets: true });
    expect(Object.keys(await handshakeFile(events, anchors))).toEqual(["handshake_1", "handshake_2"]);
  });

  it("leave out one whose beginning is lost", async () => {
    const { events, anchors } = await eventsOf(1, { revealSecrets: true });
    const later = events.slice(events.findIndex((event) => event.type === "trace" && event.name === "TH_3"));
    expect(await handshakeFile(later, anchors)).toEqual({});
  });

  it("are none where the tag keeps its secrets", async () => {
    const { events, anchors } = await eventsOf(1, {});
    expect(await handshakeFile(events, anchors)).toEqual({});
  });
});
