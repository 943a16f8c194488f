import { describe, expect, it } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { FRAME_TYPE, STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import { NOW } from "../test-support/parties.ts";
import {
  alerted,
  CLEAR,
  expectEnd,
  lastWord,
  PAYLOAD,
  reach,
  reconnect,
  stage,
  written,
} from "../test-support/stages.ts";

describe("message_1", () => {
  it("of another suite is EDHOC error 2 twice, and the end the third time", async () => {
    const at = await stage({ suites: [3] });
    for (let time = 0; time < 2; time++) {
      await at.central.send("SEC", "EDHOC", (await at.central.message1([6])).message);
      const answer = await at.central.receive();
      expect(errorFrom("EDHOC_ERROR", answer?.message ?? new Uint8Array()).suitesR).toEqual([3]);
      expect(at.tag.snapshot().state).toBe("CONNECTED");
    }
    await at.central.send("SEC", "EDHOC", (await at.central.message1([6])).message);
    expect(await lastWord(at.central)).toEqual(alerted("STATE"));
    await expectEnd(at);
  });
});

describe("message_3", () => {
  it("is not answered where the client itself reports an error", async () => {
    const at = await reach("WAIT_M3");
    await at.central.send("SEC", "EDHOC_ERROR", Uint8Array.of(1, 0x60));
    await at.tag.settled();
    await expectEnd(at);
    const said = at.events.flatMap((event) =>
      event.type === "message" && event.direction === "out" ? [event.name] : [],
    );
    expect(said).not.toContain("EDHOC error");
  });
});

const frame = (b0: number, ...rest: number[]) => Uint8Array.of(b0, ...rest);
const first = (total: number, ...body: number[]) =>
  frame(0x80, FRAME_TYPE.EDHOC, total & 255, total >> 8, ...body);

describe("a malformed frame", () => {
  const FRAMES: readonly (readonly [string, readonly Bytes[], StatusName])[] = [
    // Every other one is a row of core/sec/framing.test.ts.
    ["a repetition", [first(9, 7), frame(1, 7), frame(1, 7)], "FRAME"],
    ["more than max_msg", [first(2049, 7)], "TOO_LARGE"],
  ];

  it.each(FRAMES)("is an alert, not a record, after keys: %s", async (_name, sent, code) => {
    const at = await reach("RECEIVING");
    for (const each of sent) await at.central.raw("DATA", each);
    expect((await at.central.status()).code).toBe(code);
    expect(await lastWord(at.central)).toEqual(alerted(code));
    await expectEnd(at);
  });
});

describe("a message in the wrong place", () => {
  it.each([
    ["a record before keys", "SEC", "APP"],
    ["a chain on SEC", "SEC", "CERTIFICATE_CHAIN"],
    ["a token on SEC", "SEC", "TOKEN"],
    ["a payload on SEC", "SEC", "PAYLOAD"],
  ] as const)("is alert 20: %s", async (_name, on, type) => {
    const at = await stage();
    await at.central.send(on, type, Uint8Array.of(1, 2, 3));
    expect(await lastWord(at.central)).toEqual(alerted("STATE"));
    await expectEnd(at);
  });

  it("is STATUS 20 on v2.0", async () => {
    for (const [on, type] of [
      ["CERT", "TOKEN"],
      ["DATA", "EDHOC"],
    ] as const) {
      const at = await stage({ generation: "2.0" });
      await at.central.send(on, type, Uint8Array.of(1));
      expect(await at.central.status()).toMatchObject({ code: "STATE" });
      await expectEnd(at);
    }
  });
});

it("a payload longer than a tag stages is refused, on either path", async () => {
  const flood = await reach("AUTHORIZED");
  await flood.central.say({ kind: "data", offset: 0, data: new Uint8Array(513) });
  expect(await flood.central.code()).toBe(STATUS.STORAGE);
  await expectEnd(flood);
  const plain = await reach("AUTHORIZED", "2.0");
  await plain.central.send("DATA", "PAYLOAD", new Uint8Array(513));
  expect(await plain.central.status()).toMatchObject({ state: "IDLE", code: "STORAGE" });
  await expectEnd(plain);
});

/** Tokens that conformance has no check of (kit/conformance/checks/token.ts). */
describe("a token on v2.1", () => {
  it("from before the certificate is answered by its status and a new nonce", async () => {
    const at = await reach("ESTABLISHED");
    const { nonce } = at.central.hello ?? {};
    const early = { iat: NOW / 1000 - 90_000, exp: NOW / 1000 - 89_880 };
    await at.central.say({ kind: "token", token: await at.central.token(PAYLOAD, "write", early) });
    expect(await at.central.code()).toBe(STATUS.CRED_TIME);
    expect((await at.central.nextHello()).nonce).not.toEqual(nonce);
    expect(at.tag.snapshot()).toMatchObject({ state: "ESTABLISHED", status: "OK", tokenMisses: 1 });
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });

  it("older than the last one seen stays a replay after one of an earlier second was accepted", async () => {
    const at = await written();
    const clearAt = async (iat: number) => {
      at.central.channel = undefined;
      await at.tag.connect();
      await at.central.handshake();
      await at.central.say({ kind: "token", token: await at.central.token(CLEAR, "clear", { iat }) });
      const code = await at.central.code();
      at.tag.disconnect();
      return code;
    };
    expect(await clearAt(NOW / 1000 - 60)).toBe(STATUS.AUTHORIZED);
    expect(await clearAt(NOW / 1000 - 61)).toBe(STATUS.TOKEN_REPLAY);
  });

  it("counts misses over connections", async () => {
    const at = await stage();
    for (let miss = 0; miss < 3; miss++) {
      await at.central.handshake();
      await at.central.say({ kind: "token", token: Uint8Array.of(miss) });
      expect(await at.central.code()).toBe(miss < 2 ? STATUS.TOKEN_FORMAT : STATUS.LOCKOUT);
      await reconnect(at);
    }
    expect(at.tag.snapshot().state).toBe("LOCKOUT");
  });
});

it("a v2.0 tag gives the same nonce until it is burnt or 120 s old", async () => {
  const at = await reach("PRESENTED");
  const nonce = await at.central.nonce();
  expect(await at.central.nonce()).toEqual(nonce);
  at.world.advance(119_000);
  expect(await at.central.nonce()).toEqual(nonce);
  at.world.advance(2_000);
  expect(await at.central.nonce()).not.toEqual(nonce);
});
