/** Sentences of protocol.md on order, final answers and loss of power that no other test of this folder is about. */
import { beforeAll, describe, expect, it } from "vitest";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { decodeInfo } from "../../core/gatt/values.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { CLEAR, PAYLOAD, reach, stage, written } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

const { INFO, ID, STATUS: STATE, NONCE } = PROFILE.characteristics;
const wrong = new Uint8Array(32).fill(1);

describe("between the end of a session and the hang-up", () => {
  it("writes mean nothing, plain values are read, and the last word is given", async () => {
    const at = await reach(people, "RECEIVING");
    await at.central.commit(PAYLOAD, { sha256: wrong });
    await at.tag.settled();
    await at.central.raw("SEC", Uint8Array.of(0xff));
    expect(decodeInfo(await at.tag.read(INFO.uuid)).state).toBe("IDLE");
    expect((await at.tag.read(ID.uuid)).length).toBeGreaterThan(0);
    expect((await at.tag.read(STATE.uuid)).length).toBe(13);
    expect((await at.tag.read(NONCE.uuid)).length).toBe(0);
    expect(await at.central.code()).toBe(STATUS.DIGEST);
    at.world.advance(100);
    expect(at.tag.snapshot().connected).toBe(false);
  });
});

describe("the checks of a commit", () => {
  it.each([
    ["total before battery", true, PAYLOAD, { total: 1 }, STATUS.OFFSET],
    ["battery before digest", true, PAYLOAD, { sha256: wrong }, STATUS.LOW_BATTERY],
    ["digest before form", false, Uint8Array.of(0xff), { sha256: wrong }, STATUS.DIGEST],
    ["form before operation", false, Uint8Array.of(0xff), {}, STATUS.STORAGE],
    ["operation at last", false, CLEAR, {}, STATUS.DIGEST],
  ] as const)("come in their order: %s", async (_what, low, payload, changes, code) => {
    const at = await reach(people, "ESTABLISHED");
    await at.central.authorize(payload);
    await at.central.stage(payload);
    at.tag.faults.lowBattery = low;
    await at.central.commit(payload, changes);
    expect(await at.central.code()).toBe(code);
    expect(at.tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
  });
});

describe("a session", () => {
  it("counts with INFO as it was at message_1, where it was not read", async () => {
    const at = await stage(people);
    const { readMessage2, readMessage4, writeMessage3 } = await import("../../core/sec/initiator.ts");
    const { openInitiatorChannel } = await import("../../core/sec/channel.ts");
    const first = await at.central.message1();
    const { info } = { info: await (await stage(people)).tag.read(INFO.uuid) };
    await at.central.send("SEC", "EDHOC", first.message);
    const third = await writeMessage3(
      (await readMessage2(first.state, await at.central.expect("EDHOC"))).state,
    );
    await at.central.send("SEC", "EDHOC", third.message);
    const session = await readMessage4(third.state, await at.central.expect("EDHOC"));
    at.central.channel = await openInitiatorChannel(session, info);
    expect((await at.central.nextHello()).id).toBe(at.tag.id);
  });
});

describe("the loss of power", () => {
  it("keeps what was committed, and the generation, and forgets the session and the code", async () => {
    const at = await written(people);
    const before = at.tag.snapshot();
    await at.tag.connect();
    at.tag.reboot();
    const { commits, mark, versionMin, display } = before;
    expect(at.tag.snapshot()).toMatchObject({
      commits,
      mark,
      versionMin,
      display,
      state: "IDLE",
      status: "OK",
    });
  });

  it("keeps the misses", async () => {
    const at = await reach(people, "ESTABLISHED");
    await at.central.say({ kind: "token", token: Uint8Array.of(1) });
    await at.central.code();
    at.tag.reboot();
    expect(at.tag.snapshot().tokenMisses).toBe(1);
  });
});
