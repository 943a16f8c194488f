import { describe, expect, it } from "vitest";
import { FRAME_TYPE, PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { calm } from "../test-support/activity.ts";
import { PAYLOAD, reach, type Stage, stage } from "../test-support/stages.ts";

const SECOND = 1_000;
const UUID = PROFILE.characteristics;
const state = ({ tag }: Stage) => tag.snapshot().state;

/** Lets time pass in steps that each end with an operation, so that only the other timers count. */
async function busily({ tag, world }: Stage, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    world.advance(Math.min(5, seconds - passed) * SECOND);
    if (tag.snapshot().connected) await tag.read(UUID.INFO.uuid);
  }
}

const lastTimer = ({ events }: Stage) => {
  const timer = events.findLast((event) => event.type === "timer");
  return timer?.type === "timer" ? timer.name : undefined;
};

describe("idle", () => {
  it.each([
    ["CONNECTED", "2.1", 10],
    ["WAIT_M3", "2.1", 10],
    ["AUTHORIZED", "2.1", 10],
    ["RECEIVING", "2.1", 10],
    ["AUTHORIZED", "2.0", 10],
    ["PRESENTED", "2.0", 120],
  ] as const)("ends %s of v%s after %i s", async (from, path, seconds) => {
    const at = await reach(from, path);
    at.world.advance(seconds * SECOND - 1);
    expect(state(at)).toBe(from);
    at.world.advance(1);
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", status: "TIMEOUT" });
    expect(lastTimer(at)).toBe("idle");
  });

  it("starts again with every operation", async () => {
    const at = await stage();
    await busily(at, 25);
    expect(state(at)).toBe("CONNECTED");
  });

  it("does not run in ESTABLISHED, COMMITTED or LOCKOUT", async () => {
    for (const from of ["ESTABLISHED", "COMMITTED"] as const) {
      const at = await reach(from);
      at.world.advance(60 * SECOND);
      expect(state(at)).toBe(from);
    }
  });
});

describe("the handshake", () => {
  it("may take 30 s from connect, however busy", async () => {
    const at = await stage();
    await busily(at, 20);
    await at.central.begin();
    await busily(at, 9);
    expect(state(at)).toBe("WAIT_M3");
    at.world.advance(SECOND);
    expect(state(at)).toBe("IDLE");
    expect(lastTimer(at)).toBe("handshake");
  });

  it("waits 15 s for message_3", async () => {
    const at = await reach("WAIT_M3");
    await busily(at, 14);
    expect(state(at)).toBe("WAIT_M3");
    at.world.advance(SECOND);
    expect(lastTimer(at)).toBe("message3");
    expect(state(at)).toBe("IDLE");
  });

  it("that timed out is alert 19, then the link goes", async () => {
    const at = await reach("WAIT_M3");
    at.world.advance(10 * SECOND);
    expect(await at.central.expect("ALERT")).toEqual(Uint8Array.of(STATUS.TIMEOUT));
    at.world.advance(30);
    expect(at.tag.snapshot()).toMatchObject({ connected: false, status: "TIMEOUT" });
  });
});

describe("a frame gap", () => {
  it("of 5 s ends the session", async () => {
    const at = await stage();
    await at.central.raw("SEC", Uint8Array.of(0x80, FRAME_TYPE.EDHOC, 9, 0, 1));
    at.world.advance(4 * SECOND);
    await at.central.raw("SEC", Uint8Array.of(1, 1));
    at.world.advance(4 * SECOND);
    expect(state(at)).toBe("CONNECTED");
    at.world.advance(SECOND);
    expect(lastTimer(at)).toBe("frameGap");
    expect(state(at)).toBe("IDLE");
  });
});

describe("after the handshake", () => {
  it.each(["AUTHORIZED", "RECEIVING"] as const)("an authorization lasts 60 s, in %s too", async (from) => {
    const at = await reach(from);
    await busily(at, 59);
    expect(state(at)).toBe(from);
    at.world.advance(SECOND);
    expect(lastTimer(at)).toBe("authorized");
    expect(await at.central.code()).toBe(STATUS.TIMEOUT);
  });

  it("a session lasts 300 s, and a nonce 120 s without ending it", async () => {
    const at = await reach("ESTABLISHED");
    at.world.advance(121 * SECOND);
    await at.central.say({ kind: "token", token: await at.central.token(PAYLOAD, "write") });
    expect(await at.central.code()).toBe(STATUS.TOKEN_EXPIRED);
    at.world.advance(178 * SECOND);
    expect(state(at)).toBe("ESTABLISHED");
    at.world.advance(SECOND);
    expect(lastTimer(at)).toBe("session");
    expect(state(at)).toBe("IDLE");
  });

  it("the last word stays readable for 2 s, then the link goes anyway", async () => {
    const at = await reach("AUTHORIZED");
    at.world.advance(10 * SECOND + 1_999);
    expect(at.tag.snapshot().connected).toBe(true);
    at.world.advance(1);
    expect(at.tag.snapshot().connected).toBe(false);
  });

  it("a session that runs out while the display changes ends after it, with the outcome readable", async () => {
    const at = await reach("COMMITTING", "2.1", { displayMs: 400 * SECOND });
    at.world.advance(399 * SECOND);
    expect(state(at)).toBe("COMMITTING");
    at.world.advance(SECOND);
    await at.tag.settled();
    expect(await at.central.code()).toBe(STATUS.COMMITTED);
    at.world.advance(2 * SECOND);
    expect(at.tag.snapshot()).toMatchObject({ connected: false, state: "IDLE", commits: 1 });
  });
});

describe("a read that waits", () => {
  it("of SEC gets an empty value after 5 s and may be repeated", async () => {
    const { tag, world } = await stage();
    const read = tag.read(UUID.SEC.uuid);
    await calm();
    world.advance(5 * SECOND);
    expect(await read).toHaveLength(0);
    expect(tag.snapshot().state).toBe("CONNECTED");
  });

  it("has its own 5 s, whatever came before it", async () => {
    const at = await reach("RECEIVING");
    at.tag.faults.slowDisplay = 4 * SECOND;
    await at.central.commit(PAYLOAD);
    await at.tag.settled();
    const status = at.central.status();
    await calm();
    at.world.advance(4 * SECOND);
    await status;
    await at.central.code();
    await at.central.record();
    let answered = false;
    const read = at.tag.read(UUID.SEC.uuid).finally(() => {
      answered = true;
    });
    await calm();
    // The first read's alarm would ring within these, had it not been turned off.
    at.world.advance(5 * SECOND - 1);
    await calm();
    expect(answered).toBe(false);
    at.world.advance(1);
    expect(await read).toHaveLength(0);
  });

  it("of STATUS waits only while a commit is in work", async () => {
    const at = await reach("COMMITTING");
    let answered = false;
    const read = at.central.status().then((status) => {
      answered = true;
      return status;
    });
    await calm();
    at.world.advance(899);
    await calm();
    expect(answered).toBe(false);
    at.world.advance(1);
    expect((await read).state).toBe("COMMITTED");
  });

  it("of STATUS gives up after 5 s too", async () => {
    const slow = await reach("COMMITTING", "2.0", { displayMs: 15 * SECOND });
    const read = slow.tag.read(UUID.STATUS.uuid);
    await calm();
    slow.world.advance(5 * SECOND);
    expect(await read).toHaveLength(0);
  });
});

describe("a lockout", () => {
  it("lasts 30 s, then 60, 120, 240, 300 and 300, and a commit forgets it", async () => {
    const at = await reach("LOCKOUT");
    for (const seconds of [30, 60, 120, 240, 300, 300]) {
      expect(at.tag.snapshot().lockoutLeft).toBe(seconds * SECOND);
      at.world.advance(seconds * SECOND - 1);
      expect(state(at)).toBe("LOCKOUT");
      at.world.advance(1);
      expect(state(at)).toBe("IDLE");
      await lockAgain(at);
    }
    at.world.advance(300 * SECOND);
    await at.tag.connect();
    await at.central.handshake();
    await at.central.transfer(PAYLOAD);
    at.tag.disconnect();
    await lockAgain(at);
    expect(at.tag.snapshot().lockoutLeft).toBe(30 * SECOND);
  });
});

async function lockAgain({ tag, central, world }: Stage): Promise<void> {
  world.advance(60 * SECOND - 1);
  await tag.connect();
  await central.handshake();
  for (let miss = 0; miss < 3; miss++) {
    await central.say({ kind: "token", token: Uint8Array.of(miss) });
    await central.code();
    if (miss < 2) await central.nextHello();
  }
  tag.disconnect();
}
