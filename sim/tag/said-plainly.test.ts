/** Sentences of protocol.md on order, turns, the button and loss of power that no other test of this folder is about. */
import { describe, expect, it } from "vitest";
import { PROFILE, STATUS, TAG_TIMER } from "../../core/gatt/profile.ts";
import { decodeInfo } from "../../core/gatt/values.ts";
import { RECORD_KIND } from "../../core/sec/records.ts";
import { CLEAR, PAYLOAD, reach, type Stage, stage } from "../test-support/stages.ts";

const { INFO, ID, STATUS: STATE, NONCE } = PROFILE.characteristics;
const wrong = new Uint8Array(32).fill(1);

describe("between the end of a session and the hang-up", () => {
  it("writes mean nothing, plain values are read, and the last word is given", async () => {
    const at = await reach("RECEIVING");
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
    const at = await reach("ESTABLISHED");
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
    const at = await stage();
    const { readMessage2, readMessage4, writeMessage3 } = await import("../../core/sec/initiator.ts");
    const { openInitiatorChannel } = await import("../../core/sec/channel.ts");
    const first = await at.central.message1();
    const { info } = { info: await (await stage()).tag.read(INFO.uuid) };
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
  it("keeps the misses", async () => {
    const at = await reach("ESTABLISHED");
    await at.central.say({ kind: "token", token: Uint8Array.of(1) });
    await at.central.code();
    at.tag.reboot();
    expect(at.tag.snapshot().tokenMisses).toBe(1);
  });
});

const BUSY = { type: "ALERT", message: Uint8Array.of(STATUS.BUSY) };

describe("a tag with a button (protocol.md, Button)", () => {
  it("says so, and takes a whole transfer once it was pressed", async () => {
    const at = await stage({ button: true });
    expect((await at.central.info()).caps.button).toBe(true);
    at.tag.press();
    await at.central.handshake();
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });

  it.each([
    ["was never pressed", undefined, "pressed never"],
    ["was pressed too long ago", TAG_TIMER.button + 1, "late"],
    ["has lost its power since", 0, "reboot"],
  ] as const)("begins no session where it %s, and spends no message_1 on it", async (_what, ago, how) => {
    const at = await stage({ button: true }, false);
    if (ago !== undefined) at.tag.press();
    if (how === "reboot") at.tag.reboot();
    at.world.advance(ago ?? 0);
    for (let attempt = 0; attempt < 10; attempt++) {
      await at.tag.connect();
      await at.central.send("SEC", "EDHOC", (await at.central.message1()).message);
      expect(await at.central.receive()).toEqual(BUSY);
      at.tag.disconnect();
    }
    at.tag.press();
    await at.tag.connect();
    await at.central.handshake();
  });

  it("begins one in the last moment, which then outlives the time", async () => {
    const at = await stage({ button: true }, false);
    at.tag.press();
    at.world.advance(TAG_TIMER.button);
    await at.tag.connect();
    await at.central.handshake();
    at.world.advance(60_000);
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });

  it("cannot be passed by on v2.0", async () => {
    const at = await stage({ button: true });
    await at.central.sendChain();
    expect(await at.central.status()).toMatchObject({ state: "IDLE", code: "BUSY" });
  });
});

const readsOfSec = (at: Stage) =>
  at.events.filter(
    (event) => event.type === "gatt" && event.operation === "read" && event.characteristic === "SEC",
  ).length;

const UNHEARD = Uint8Array.of(1, 2, 3);

/** Token, payload and commit, with no read between them. */
async function pour(at: Stage, token?: Uint8Array<ArrayBuffer>): Promise<void> {
  const { central } = at;
  await central.say({ kind: "token", token: token ?? (await central.token(PAYLOAD, "write")) });
  await central.stage(PAYLOAD);
  await central.commit(PAYLOAD);
}

describe("turns (protocol.md, Pull model)", () => {
  it("takes token, payload and commit without a wait, and answers all of it in one value", async () => {
    const at = await reach("ESTABLISHED");
    const before = readsOfSec(at);
    await pour(at);
    expect([await at.central.code(), await at.central.code()]).toEqual([STATUS.AUTHORIZED, STATUS.COMMITTED]);
    expect((await at.central.record()).kind).toBe("statement");
    expect(readsOfSec(at) - before).toBe(1);
    expect(at.tag.snapshot()).toMatchObject({ state: "COMMITTED", commits: 1 });
  });

  it("gives message_4 and hello in one value", async () => {
    const at = await reach("WAIT_M3");
    const before = readsOfSec(at);
    await at.central.send("SEC", "EDHOC", at.message3 ?? UNHEARD);
    await at.central.finish();
    expect(readsOfSec(at) - before).toBe(1);
  });

  it("drops what came along with a refused token, shows nothing, and takes the next one", async () => {
    const at = await reach("ESTABLISHED");
    await pour(at, UNHEARD);
    expect(await at.central.code()).toBe(STATUS.TOKEN_FORMAT);
    await at.central.nextHello();
    await at.tag.settled();
    expect(at.tag.snapshot()).toMatchObject({ state: "ESTABLISHED", commits: 0, tokenMisses: 1 });
    await pour(at);
    expect([await at.central.code(), await at.central.code()]).toEqual([STATUS.AUTHORIZED, STATUS.COMMITTED]);
  });

  it.each([["fresh"], ["challenge"]] as const)("drops nothing behind a %s that came since", async (kind) => {
    const at = await reach("ESTABLISHED");
    await at.central.say({ kind: "token", token: UNHEARD });
    expect(await at.central.code()).toBe(STATUS.TOKEN_FORMAT);
    await at.central.nextHello();
    await at.central.say(kind === "fresh" ? { kind } : { kind, challenge: new Uint8Array(16) });
    expect((await at.central.record()).kind).toBe(kind === "fresh" ? "hello" : "statement");
    await at.central.stage(PAYLOAD);
    expect(await at.central.code()).toBe(STATUS.STATE);
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("IDLE");
  });

  it("drops no record unopened: one that was tampered with ends the session here as everywhere", async () => {
    const at = await reach("ESTABLISHED");
    await at.central.say({ kind: "token", token: UNHEARD });
    const record = await at.central.keys.seal({ kind: "data", offset: 0, data: PAYLOAD });
    expect(record[0]).toBe(RECORD_KIND.data);
    record[9] = (record[9] as number) ^ 1;
    await at.central.send("DATA", "APP", record);
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("IDLE");
  });

  it("holds a read while the display works, and after 5 s gives what it has", async () => {
    const at = await reach("ESTABLISHED");
    at.tag.faults.slowDisplay = 12_000;
    await pour(at);
    const began = at.world.now();
    expect(await at.central.code()).toBe(STATUS.AUTHORIZED);
    expect(at.world.now() - began).toBe(5_000);
    expect(await at.central.receive()).toBeUndefined();
    expect(await at.central.code()).toBe(STATUS.COMMITTED);
    expect(at.world.now() - began).toBe(12_000);
  });
});
