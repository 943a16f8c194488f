/** Sentences of protocol.md that say when a code shows, what costs what, and what a write right behind another one gets. */
import { describe, expect, it } from "vitest";
import { concat } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { decodeStatus } from "../../core/gatt/values.ts";
import { frames } from "../../core/sec/framing.ts";
import {
  type Act,
  chain,
  challenge,
  data,
  fresh,
  message1,
  NOTHING,
  otherSuite,
} from "../test-support/central-acts.ts";
import {
  alerted,
  lastWord,
  PAYLOAD,
  reach,
  reconnect,
  type Stage,
  stage,
  written,
} from "../test-support/stages.ts";

const { NONCE, SEC } = PROFILE.characteristics;
const FIRST_OF_LONG = Uint8Array.of(0x80, 4, 9, 0, 7);

const code = (at: Stage): StatusName => at.tag.snapshot().status;

describe("a write right behind a commit", () => {
  it.each([
    ["[5]", fresh],
    ["[6]", challenge],
    ["data", data],
    ["a chain", chain],
    ["message_1", message1],
  ] as const)("is 18, and the display goes on: %s", async (_name, act) => {
    const at = await reach("RECEIVING");
    await at.central.commit(PAYLOAD);
    await act(at);
    expect(await at.central.code()).toBe(STATUS.BUSY);
    at.world.advance(2_000);
    expect(at.tag.snapshot()).toMatchObject({
      connected: false,
      state: "IDLE",
      status: "COMMITTED",
      commits: 1,
    });
  });
});

describe("STATUS", () => {
  it("waits for no display once the session has ended", async () => {
    const at = await reach("COMMITTING");
    await at.central.raw("SEC", NOTHING);
    await at.tag.settled();
    const status = await at.central.patiently(at.central.status());
    expect(status).toMatchObject({ state: "COMMITTING", code: "BUSY" });
    expect(at.world.now()).toBe(0);
  });

  it("that a newcomer waits for at the end of a commit says CONNECTED and 2, as its notifications do", async () => {
    const at = await reach("COMMITTING");
    await reconnect(at);
    const notified: string[] = [];
    at.tag.onNotify((_uuid, value) => notified.push(decodeStatus(value).state));
    const status = await at.central.patiently(at.central.status());
    expect(status).toMatchObject({ state: "CONNECTED", code: "COMMITTED" });
    expect(notified).toEqual(["CONNECTED"]);
  });
});

describe("the code in STATUS", () => {
  it("stays where another may not be shown, and is 0 on the next connection", async () => {
    const at = await reach("RECEIVING");
    expect(code(at)).toBe("AUTHORIZED");
    await at.central.commit(PAYLOAD, { total: 1 });
    expect(await at.central.code()).toBe(STATUS.OFFSET);
    expect(code(at)).toBe("AUTHORIZED");
    at.tag.disconnect();
    expect(code(at)).toBe("AUTHORIZED");
    await at.tag.connect();
    expect(code(at)).toBe("OK");
  });

  it("is 2 until another is shown, over connections, handshakes, nonces and refused tokens", async () => {
    const at = await written();
    await at.tag.connect();
    await at.central.handshake();
    await at.central.say({ kind: "fresh" });
    await at.central.nextHello();
    await at.central.say({ kind: "token", token: NOTHING });
    expect(await at.central.code()).toBe(STATUS.TOKEN_FORMAT);
    await at.central.nextHello();
    expect(code(at)).toBe("COMMITTED");
    await at.central.authorize(PAYLOAD);
    expect(code(at)).toBe("AUTHORIZED");
  });

  it("is 80 through the loss of power, and 0 when the lockout is over", async () => {
    const at = await reach("LOCKOUT");
    at.tag.reboot();
    expect(code(at)).toBe("LOCKOUT");
    at.world.advance(30_000);
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", status: "OK" });
  });
});

const noCbor: Act = ({ central }) => central.send("SEC", "EDHOC", Uint8Array.of(0xff));

describe("the message_1 bucket", () => {
  const empty = async (act: Act) => {
    const at = await stage();
    for (let i = 0; i < 8; i++) {
      await act(at);
      await at.tag.settled();
      await reconnect(at);
    }
    return at;
  };

  it.each([
    ["another suite", otherSuite],
    ["no CBOR", noCbor],
  ] as const)("is unchanged by what it refuses: %s", async (_name, act) => {
    const at = await empty(act);
    await message1(at);
    expect(await lastWord(at.central)).toBe("EDHOC");
  });

  it("is full after the loss of power", async () => {
    const at = await empty(message1);
    at.tag.reboot();
    await at.tag.connect();
    await message1(at);
    expect(await lastWord(at.central)).toBe("EDHOC");
  });
});

describe("before keys", () => {
  it.each([
    ["a token", (at: Stage) => at.central.send("AUTH", "TOKEN", NOTHING), "STATE"],
    ["a payload", (at: Stage) => at.central.send("DATA", "PAYLOAD", PAYLOAD), "STATE"],
    ["a record on DATA", (at: Stage) => at.central.send("DATA", "APP", NOTHING), "STATE"],
    ["a bad frame on CERT", (at: Stage) => at.central.raw("CERT", NOTHING), "FRAME"],
    ["a bad chain", (at: Stage) => at.central.send("CERT", "CERTIFICATE_CHAIN", NOTHING), "CHAIN"],
  ] as const)("a fault off SEC is in STATUS alone: %s", async (_name, act, expected) => {
    const at = await stage();
    await act(at);
    await at.tag.settled();
    const nothing = at.tag.read(SEC.uuid);
    nothing.catch(() => undefined);
    at.world.advance(2_000);
    await expect(nothing).rejects.toMatchObject({ code: "DISCONNECTED" });
    expect(code(at)).toBe(expected);
  });

  it.each([
    ["a frame is checked first", (at: Stage) => at.central.raw("CERT", NOTHING), "FRAME", false],
    ["a chain", chain, "VERSION", false],
    ["a token", (at: Stage) => at.central.send("AUTH", "TOKEN", NOTHING), "VERSION", false],
    ["a payload", (at: Stage) => at.central.send("DATA", "PAYLOAD", PAYLOAD), "VERSION", false],
    ["NONCE", (at: Stage) => at.tag.read(NONCE.uuid), "VERSION", true],
  ] as const)("v2.0 is 32 in STATUS where ver_min is 21: %s", async (_name, act, expected, stays) => {
    const at = await written();
    await at.tag.connect();
    await act(at);
    await at.tag.settled();
    expect((await at.central.status()).code).toBe(expected);
    at.world.advance(30);
    expect(at.tag.snapshot().connected).toBe(stays);
  });

  it("a frame of a chain chooses no generation: message_1 may still come", async () => {
    const at = await stage();
    await at.central.raw("CERT", FIRST_OF_LONG);
    await message1(at);
    expect(await lastWord(at.central)).toBe("EDHOC");
  });
});

describe("frames", () => {
  it.each([
    ["F before the type", [FIRST_OF_LONG, Uint8Array.of(0x80, 9, 9, 0, 7)], "FRAME"],
    ["the type before the length", [Uint8Array.of(0x80, 9, 255, 255, 7)], "FRAME"],
    ["the length before sequence, body and L", [Uint8Array.of(0xc5, 4, 255, 255)], "TOO_LARGE"],
  ] as const)("are checked in order: %s", async (_name, sent, expected) => {
    const at = await stage();
    for (const value of sent) await at.central.raw("CERT", Uint8Array.from(value));
    expect((await at.central.status()).code).toBe(expected);
  });

  it("have their gap in ESTABLISHED too, each characteristic its own message, and one timer for all", async () => {
    const at = await reach("ESTABLISHED");
    const record = await at.central.keys.seal({ kind: "fresh" });
    const [head, tail] = frames("APP", record, 12) as [typeof record, typeof record];
    await at.central.raw("DATA", FIRST_OF_LONG);
    at.world.advance(4_999);
    await at.central.raw("SEC", head);
    await at.central.raw("SEC", tail);
    expect((await at.central.record()).kind).toBe("hello");
    at.world.advance(5_000);
    expect(await at.central.code()).toBe(STATUS.TIMEOUT);
  });

  it("are at most 512 bytes, whatever the MTU is", async () => {
    const at = await stage({}, false);
    await at.tag.connect(() => 514);
    expect((await at.central.info()).frame).toBe(512);
    const longer = at.tag.write(SEC.uuid, concat(FIRST_OF_LONG, new Uint8Array(508)));
    await expect(longer).rejects.toMatchObject({ code: "INVALID_VALUE_LENGTH" });
    expect(at.tag.snapshot().state).toBe("CONNECTED");
  });
});

describe("INFO", () => {
  it.each([
    [10, true, STATUS.LOW_BATTERY],
    [11, false, STATUS.COMMITTED],
  ] as const)(
    "at %i per cent says low exactly where a commit would be refused",
    async (battery, low, last) => {
      const at = await reach("RECEIVING", "2.1", { battery });
      expect((await at.central.info()).flags.lowBattery).toBe(low);
      await at.central.commit(PAYLOAD);
      expect(await at.central.code()).toBe(last);
    },
  );
});

describe("a frame of v2.0 on DATA that does not complete its message", () => {
  it.each([
    ["begins the data of an accepted token, whatever its type", "AUTHORIZED", "RECEIVING", "AUTHORIZED"],
    ["is 20 without one", "PRESENTED", "IDLE", "STATE"],
  ] as const)("%s", async (_name, from, to, status) => {
    const at = await reach(from, "2.0");
    await at.central.raw("DATA", FIRST_OF_LONG);
    await at.tag.settled();
    expect(at.tag.snapshot()).toMatchObject({ state: to, status });
  });
});

describe("data", () => {
  it("may be empty", async () => {
    const at = await reach("AUTHORIZED");
    await at.central.say({ kind: "data", offset: 0, data: new Uint8Array() });
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("RECEIVING");
  });
});

describe("after a lockout a central that waited", () => {
  it("has the timers of a new connection, and reads of SEC in the meantime are held and empty", async () => {
    const at = await reach("LOCKOUT");
    await reconnect(at);
    expect(await at.central.receive()).toBeUndefined();
    expect(at.world.now()).toBe(5_000);
    at.world.advance(25_000 + 9_999);
    expect(at.tag.snapshot()).toMatchObject({ state: "CONNECTED", connected: true, status: "OK" });
    at.world.advance(1);
    expect(await lastWord(at.central)).toEqual(alerted("TIMEOUT"));
  });
});
