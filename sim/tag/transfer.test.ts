import { beforeAll, describe, expect, it } from "vitest";
import { STATUS, TAG_TIMER } from "../../core/gatt/profile.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { CLEAR, LABEL, PAYLOAD, stage } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("a v2.1 transfer", () => {
  it.each([[[6]], [[6, 3]]] as const)("writes the label with suites %j offered", async (offered) => {
    const suites = offered.length === 1 ? ([6, 3] as const) : ([3] as const);
    const { tag, central } = await stage(people, { suites });
    const hello = await central.handshake(offered);
    expect(hello).toMatchObject({ id: tag.id, ttl: 120, commits: 0, mark: null });
    expect(await central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
    expect(tag.snapshot()).toMatchObject({
      state: "COMMITTED",
      versionMin: "2.1",
      commits: 1,
      display: { state: "LABEL", content: LABEL },
    });
  });

  it("clears what was written, and counts both", async () => {
    const { tag, central } = await stage(people);
    await central.handshake();
    await central.transfer(PAYLOAD);
    tag.disconnect();
    await tag.connect();
    const hello = await central.handshake();
    expect(hello.commits).toBe(1);
    expect(hello.mark).toEqual(tag.snapshot().mark);
    expect(await central.transfer(CLEAR, "clear")).toBe(STATUS.COMMITTED);
    expect(tag.snapshot().display).toEqual({ state: "BLANK", content: null });
  });
});

describe("a v2.0 transfer", () => {
  it("writes the label, and clears it again", async () => {
    const { tag, central } = await stage(people, { generation: "2.0" });
    expect(await central.present()).toMatchObject({ state: "PRESENTED", code: "OK" });
    expect(await central.plainTransfer(PAYLOAD)).toMatchObject({ state: "COMMITTED", code: "COMMITTED" });
    expect(tag.snapshot().display.content).toEqual(LABEL);
    tag.disconnect();
    await tag.connect();
    await central.present();
    expect(await central.plainTransfer(CLEAR, "clear")).toMatchObject({ display: "BLANK" });
    expect(tag.snapshot()).toMatchObject({ versionMin: "2.0", commits: 2 });
  });
});

const BUSY = { type: "ALERT", message: Uint8Array.of(STATUS.BUSY) };

describe("a tag with a button (protocol.md, Button)", () => {
  it("says so, and takes a whole transfer once it was pressed", async () => {
    const at = await stage(people, { button: true });
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
    const at = await stage(people, { button: true }, false);
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
    const at = await stage(people, { button: true }, false);
    at.tag.press();
    at.world.advance(TAG_TIMER.button);
    await at.tag.connect();
    await at.central.handshake();
    at.world.advance(60_000);
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });

  it("cannot be passed by on v2.0", async () => {
    const at = await stage(people, { button: true });
    await at.central.sendChain();
    expect(await at.central.status()).toMatchObject({ state: "IDLE", code: "BUSY" });
  });
});
