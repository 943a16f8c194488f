import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import { verifyTranscript } from "../../core/vectors/transcript.ts";
import type { TagConfig, TagEvent } from "../tag/tag-types.ts";
import { Central } from "../test-support/central.ts";
import { tagOf } from "../test-support/parties.ts";
import { PAYLOAD, people, stage } from "../test-support/stages.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { handshakeFile } from "./recorded-handshake.ts";
import { differences, ReplayError, readTranscript, standings, transcriptFile } from "./replay.ts";

/** Everything a tag reports of one written label. */
async function transferEvents(changes: Partial<TagConfig> = {}): Promise<TagEvent[]> {
  const { tag, central } = await stage(changes);
  const events: TagEvent[] = [];
  tag.disconnect();
  tag.observe((event) => events.push(event));
  await tag.connect();
  if (changes.generation === "2.0") {
    await central.present();
    await central.plainTransfer(PAYLOAD);
  } else {
    await central.handshake();
    await central.transfer(PAYLOAD);
  }
  tag.disconnect();
  return events;
}

describe("a saved transcript", () => {
  it.each(["2.1", "2.0"] as const)("of a v%s tag reads back as it was", async (generation) => {
    const events = await transferEvents({ generation, revealSecrets: true });
    expect(readTranscript(transcriptFile(events))).toEqual(events);
  });

  it.each(["2.1", "2.0"] as const)("of a v%s tag decodes again to the same fields", async (generation) => {
    const events = readTranscript(transcriptFile(await transferEvents({ generation })));
    const compared = events.map(differences).filter((each) => each !== undefined);
    expect(compared.length).toBeGreaterThanOrEqual(generation === "2.1" ? 9 : 1);
    expect(compared.flat()).toEqual([]);
  });

  it("shows a field that reads otherwise than it was saved", async () => {
    const [message1] = (await transferEvents()).filter(
      (event) => event.type === "message" && event.name === "message_1",
    );
    if (message1?.type !== "message") throw new Error("no message_1");
    const changed = { ...message1, fields: { ...message1.fields, method: 3, extra: true } };
    expect(differences(changed)).toEqual([
      { field: "method", saved: 3, now: 0 },
      { field: "extra", saved: true, now: undefined },
    ]);
  });

  it("reports bytes of an unknown form as unreadable", async () => {
    const record = (await transferEvents()).find(
      (event) => event.type === "record" && event.name === "commit",
    );
    if (record?.type !== "record") throw new Error("no commit");
    const cut = { ...record, bytes: record.bytes.subarray(0, 4) };
    expect(differences(cut)?.map(({ field }) => field)).toContain("unreadable");
  });

  it("passes through the phases of a transfer in their order", async () => {
    const events = await transferEvents();
    const phases = standings(events).map(({ phase }) => phase);
    const order = phases.filter((phase, i) => phase !== phases[i - 1]);
    expect(order.filter((phase) => phase !== "idle")).toEqual([
      "connect",
      "secure",
      "authorize",
      "write",
      "display",
      "done",
    ]);
  });

  it("that begins in the middle starts where its first change came from", async () => {
    const events = await transferEvents();
    const middle = events.findIndex((event) => event.type === "record");
    expect(standings(events.slice(middle))[0]?.state).toBe("ESTABLISHED");
  });
});

describe("a file that is no transcript", () => {
  it.each([
    ["", "empty", 1],
    ['{"at":1,"type":"timer","name":"session"}\nnonsense', "not_json", 2],
    ["[1,2]", "not_an_event", 1],
    ["null", "not_an_event", 1],
    ['{"at":"now","type":"timer","name":"session"}', "not_an_event", 1],
    ['{"at":1,"type":"gossip"}', "not_an_event", 1],
    ['{"at":1,"type":"message","direction":"in","name":"x","fields":{},"bytes":"zz"}', "not_an_event", 1],
  ] as const)("%j is refused as %s in line %i", (text, code, line) => {
    let thrown: unknown;
    try {
      readTranscript(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ReplayError);
    expect(thrown).toMatchObject({ code, line });
  });
});

/** What a tag reports of `handshakes` connections, and the anchors of both sides. */
async function eventsOf(handshakes: number, changes: Partial<TagConfig>) {
  const world = new VirtualWorld(1);
  const tag = await tagOf(people, world, changes);
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  const central = new Central(tag, world, people);
  for (let i = 0; i < handshakes; i++) {
    await tag.connect();
    await central.handshake(changes.suites);
    tag.disconnect();
  }
  const anchors = { clientRoots: [people.clients.root], tagRoots: [people.tags.root] };
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
