import { describe, expect, it } from "vitest";
import { PROFILE } from "../../core/gatt/profile.ts";
import { decodeInfo } from "../../core/gatt/values.ts";
import { certificateHash } from "../../core/sec/statement.ts";
import { tagOf } from "../test-support/parties.ts";
import { LABEL, PAYLOAD, people, reach, reconnect, stage, written } from "../test-support/stages.ts";
import { VirtualWorld } from "../virtual-world.ts";
import type { TagMemory } from "./memory.ts";
import type { TagConfig } from "./tag-types.ts";

/** A tag that keeps what it keeps as text, as a flash would. */
function flash() {
  const pages: string[] = [];
  const config: Partial<TagConfig> = { keep: (memory) => pages.push(JSON.stringify(memory)) };
  return { pages, config, last: () => JSON.parse(pages.at(-1) ?? "null") as TagMemory };
}

const reborn = (memory: TagMemory) => tagOf(people, new VirtualWorld(2), { memory });

describe("without power", () => {
  it("a tag keeps its label, its counter, its mark and that it serves v2.1 alone", async () => {
    const { config, last } = flash();
    const at = await reach("COMMITTED", "2.1", config);
    const tag = await reborn(last());
    const { state, commits, display, mark, lastDigest, versionMin } = at.tag.snapshot();
    await tag.connect();
    const { uuid } = PROFILE.characteristics.INFO;
    const { caps, intermediate } = decodeInfo(await tag.read(uuid));
    expect([caps.statement, intermediate]).toEqual([true, decodeInfo(await at.tag.read(uuid)).intermediate]);
    expect(intermediate).toBeDefined();
    tag.disconnect();
    expect(state).toBe("COMMITTED");
    expect(tag.snapshot()).toMatchObject({ commits, display, mark, lastDigest, versionMin, state: "IDLE" });
    expect(tag.snapshot()).toMatchObject({ commits: 1, versionMin: "2.1", display: { content: LABEL } });
  });

  it("stores a commit before any notification of it, and none that has not been shown", async () => {
    const { config, last } = flash();
    const at = await reach("COMMITTING", "2.1", config);
    expect(last()).toMatchObject({ commits: 0, label: null });
    const notified: unknown[] = [];
    at.tag.onNotify(() => notified.push(last().commits));
    at.world.advance(5_000);
    expect(notified[0]).toBe(1);
  });

  it("a token older than one accepted before stays refused: the latest iat is kept", async () => {
    const { config, last } = flash();
    await reach("AUTHORIZED", "2.1", config);
    expect(last().lastSeen).toBeGreaterThan(0);
    const { config: second, last: lastOfSecond } = flash();
    await stage({ ...second, memory: last() });
    expect(lastOfSecond().lastSeen).toBe(last().lastSeen);
  });

  it("a lockout begins again, and refused tokens are not forgotten", async () => {
    const { config, last } = flash();
    const at = await reach("LOCKOUT", "2.1", config);
    at.world.advance(10_000);
    const world = new VirtualWorld(3);
    const tag = await tagOf(people, world, { memory: last() });
    expect(tag.snapshot()).toMatchObject({ state: "LOCKOUT", lockoutLeft: 30_000 });
    world.advance(30_000);
    expect(tag.snapshot().state).toBe("IDLE");
    expect(last().lockout).toEqual({ misses: 0, next: 60_000, running: 30_000 });
    const missed = await reborn({ ...last(), lockout: { misses: 2, next: 60_000, running: 0 } });
    expect(missed.snapshot().tokenMisses).toBe(2);
  });
});

const [LEAF, INTERMEDIATE] = [0, 1];
const certificate = (index: number) => people.client.chain[index] as Uint8Array<ArrayBuffer>;
const leafAlone = () => ({ ...people.client, chain: [certificate(LEAF)] });

describe("the client intermediate that a tag knows (protocol.md, Credentials)", () => {
  it("is that of its last commit, and INFO has its hash", async () => {
    const at = await stage();
    expect((await at.central.info()).intermediate).toBeUndefined();
    await at.central.handshake();
    await at.central.transfer(PAYLOAD);
    await reconnect(at);
    expect((await at.central.info()).intermediate).toEqual(await certificateHash(certificate(INTERMEDIATE)));
  });

  it("is not that of a central that only made a session", async () => {
    const at = await stage();
    await at.central.handshake();
    await reconnect(at);
    expect((await at.central.info()).intermediate).toBeUndefined();
  });

  it("replaces it where message_3 has the leaf alone, also after the power was lost", async () => {
    const at = await written();
    at.tag.reboot();
    await at.tag.connect();
    at.central.credential = leafAlone();
    await at.central.handshake();
    expect(await at.central.transfer(PAYLOAD)).toBe(2);
  });

  it("vouches for no leaf of another issuer", async () => {
    const at = await written();
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
