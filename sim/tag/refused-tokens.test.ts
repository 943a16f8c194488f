import { beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import type { TokenClaims } from "../../core/sec/token.ts";
import { NOW, type Parties, parties, TAG_ID, tokenService } from "../test-support/parties.ts";
import {
  alerted,
  CLEAR,
  expectEnd,
  lastWord,
  PAYLOAD,
  reach,
  type Stage,
  stage,
  written,
} from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("a token on v2.1", () => {
  type Change = (at: Stage) => Promise<Bytes> | Bytes;
  const signed =
    (changes: Partial<TokenClaims>): Change =>
    ({ central }) =>
      central.token(PAYLOAD, "write", changes);
  const TOKENS: readonly (readonly [string, StatusName, Change])[] = [
    ["that is none", "TOKEN_FORMAT", () => Uint8Array.of(0x80)],
    [
      "by an unknown key id",
      "TOKEN_KID",
      async ({ central }) =>
        (await tokenService("other")).sign({ aud: TAG_ID, nonce: central.hello?.nonce ?? new Uint8Array() }),
    ],
    [
      "by another key of the same id",
      "TOKEN_SIG",
      async ({ central }) =>
        (await tokenService()).sign({ aud: TAG_ID, nonce: central.hello?.nonce ?? new Uint8Array() }),
    ],
    ["for another tag", "TOKEN_AUD", signed({ aud: "ebt-21-0002" })],
    ["with another nonce", "TOKEN_NONCE", signed({ nonce: new Uint8Array(16) })],
    ["for v2.0", "VERSION", signed({ version: "2.0" })],
    ["lifted from another session", "TOKEN_BINDING", signed({ channelBinding: new Uint8Array(32) })],
    ["lifted from another phone", "TOKEN_BINDING", signed({ cnfSpkiSha256: new Uint8Array(32) })],
    [
      "from before the certificate",
      "CRED_TIME",
      signed({ iat: NOW / 1000 - 90_000, exp: NOW / 1000 - 89_880 }),
    ],
  ];

  it.each(TOKENS)("%s is answered by its status and a new nonce", async (_name, code, change) => {
    const at = await reach(people, "ESTABLISHED");
    const { nonce } = at.central.hello ?? {};
    await at.central.say({ kind: "token", token: await change(at) });
    expect(await at.central.code()).toBe(STATUS[code]);
    expect((await at.central.nextHello()).nonce).not.toEqual(nonce);
    expect(at.tag.snapshot()).toMatchObject({ state: "ESTABLISHED", status: "OK", tokenMisses: 1 });
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });

  it("older than its own lifetime is expired, by the tag's own timer", async () => {
    const at = await reach(people, "ESTABLISHED");
    const token = await at.central.token(PAYLOAD, "write", { ttl: 30 });
    at.world.advance(30_001);
    await at.central.say({ kind: "token", token });
    expect(await at.central.code()).toBe(STATUS.TOKEN_EXPIRED);
  });

  it("cannot come twice: its nonce is burnt", async () => {
    const at = await reach(people, "ESTABLISHED");
    const token = await at.central.token(PAYLOAD, "write", { version: "2.0" });
    await at.central.say({ kind: "token", token });
    await at.central.code();
    await at.central.nextHello();
    await at.central.say({ kind: "token", token });
    expect(await at.central.code()).toBe(STATUS.TOKEN_NONCE);
  });

  it("older than the last one seen is a replay", async () => {
    const at = await written(people);
    await at.tag.connect();
    await at.central.handshake();
    await at.central.say({
      kind: "token",
      token: await at.central.token(CLEAR, "clear", { iat: NOW / 1000 - 61 }),
    });
    expect(await at.central.code()).toBe(STATUS.TOKEN_REPLAY);
  });

  it("older than the last one seen stays a replay after one of an earlier second was accepted", async () => {
    const at = await written(people);
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

  it("refused the third time locks the tag", async () => {
    const at = await reach(people, "LOCKOUT");
    expect(at.tag.snapshot()).toMatchObject({ status: "LOCKOUT", lockoutLeft: 30_000 });
    at.world.advance(30);
    expect(at.tag.snapshot().connected).toBe(false);
    await at.tag.connect();
    expect(await at.central.status()).toMatchObject({ state: "LOCKOUT", code: "LOCKOUT" });
    await at.central.send("SEC", "EDHOC", (await at.central.message1()).message);
    expect(await lastWord(at.central)).toEqual(alerted("LOCKOUT"));
  });

  it("counts misses over connections", async () => {
    const at = await stage(people);
    for (let miss = 0; miss < 3; miss++) {
      await at.central.handshake();
      await at.central.say({ kind: "token", token: Uint8Array.of(miss) });
      expect(await at.central.code()).toBe(miss < 2 ? STATUS.TOKEN_FORMAT : STATUS.LOCKOUT);
      at.tag.disconnect();
      await at.tag.connect();
    }
    expect(at.tag.snapshot().state).toBe("LOCKOUT");
  });
});

describe("a fresh nonce", () => {
  it("may be asked for eight times", async () => {
    const at = await reach(people, "ESTABLISHED");
    const seen = new Set<string>();
    for (let time = 0; time < 8; time++) {
      await at.central.say({ kind: "fresh" });
      seen.add((await at.central.nextHello()).nonce.join());
    }
    expect(seen.size).toBe(8);
    await at.central.say({ kind: "fresh" });
    expect(await at.central.code()).toBe(STATUS.STATE);
    await expectEnd(at);
  });

  it("makes a slow proof of custody harmless", async () => {
    const at = await reach(people, "ESTABLISHED");
    at.world.advance(200_000);
    await at.central.say({ kind: "fresh" });
    await at.central.nextHello();
    expect(await at.central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
  });
});
