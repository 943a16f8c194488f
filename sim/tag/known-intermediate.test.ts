import { beforeAll, describe, expect, it } from "vitest";
import { certificateHash } from "../../core/sec/statement.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { PAYLOAD, type Stage, stage, written } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

const [LEAF, INTERMEDIATE] = [0, 1];
const certificate = (index: number) => people.client.chain[index] as Uint8Array<ArrayBuffer>;
const leafAlone = () => ({ ...people.client, chain: [certificate(LEAF)] });

async function again(at: Stage): Promise<void> {
  at.tag.disconnect();
  at.central.channel = undefined;
  await at.tag.connect();
}

describe("the client intermediate that a tag knows (protocol.md, Credentials)", () => {
  it("is that of its last commit, and INFO has its hash", async () => {
    const at = await stage(people);
    expect((await at.central.info()).intermediate).toBeUndefined();
    await at.central.handshake();
    await at.central.transfer(PAYLOAD);
    await again(at);
    expect((await at.central.info()).intermediate).toEqual(await certificateHash(certificate(INTERMEDIATE)));
  });

  it("is not that of a central that only made a session", async () => {
    const at = await stage(people);
    await at.central.handshake();
    await again(at);
    expect((await at.central.info()).intermediate).toBeUndefined();
  });

  it("replaces it where message_3 has the leaf alone, also after the power was lost", async () => {
    const at = await written(people);
    at.tag.reboot();
    await at.tag.connect();
    at.central.credential = leafAlone();
    await at.central.handshake();
    expect(await at.central.transfer(PAYLOAD)).toBe(2);
  });

  it("vouches for no leaf of another issuer", async () => {
    const at = await written(people);
    await at.tag.connect();
    const stranger = await people.tags.issueWithRoot();
    at.central.credential = { ...stranger, chain: stranger.chain.slice(0, 1) };
    await at.central.begin();
    await at.central.send("SEC", "EDHOC", at.central.begun?.message3 ?? new Uint8Array());
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("IDLE");
    expect(at.events).toContainEqual(expect.objectContaining({ reason: expect.stringMatching(/^CHAIN/) }));
  });
});
