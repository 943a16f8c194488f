import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload } from "../../core/bag/payload-codec.ts";
import { type Bytes, concat } from "../../core/bytes.ts";
import { FRAME_TYPE, PROFILE, STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import type { PeerReport } from "../../core/sec/errors.ts";
import type { TokenClaims } from "../../core/sec/token.ts";
import type { TagCredential } from "./tag-types.ts";
import type { Central } from "./test-support/central.ts";
import {
  clientCa,
  keyPair,
  NOW,
  type Parties,
  parties,
  TAG_ID,
  tokenService,
} from "./test-support/parties.ts";
import { CLEAR, LABEL, PAYLOAD, reach, type Stage, stage, written } from "./test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

/** What the tag said in clear before it went. */
async function lastWord(central: Central): Promise<PeerReport | undefined | string> {
  const message = await central.receive();
  if (message === undefined) return "nothing";
  if (message.type !== "ALERT" && message.type !== "EDHOC_ERROR") return message.type;
  return errorFrom(message.type, message.message).peer;
}

async function tagCredential(): Promise<TagCredential> {
  const { chain, privateKey } = await people.tags.issue("ebt-21-0009");
  return { chain: [...chain, people.tags.root], privateKey };
}

const alerted = (name: StatusName) => ({ kind: "alert", status: STATUS[name] });
const EDHOC_REFUSAL = { kind: "edhoc", error: { code: 1, text: "" } };

/** After a refusal: the link goes, no keys work, the display is what it was. */
async function expectEnd({ tag, world }: Stage, display: unknown = null): Promise<void> {
  expect(tag.snapshot().state).toBe("IDLE");
  world.advance(2_000);
  expect(tag.snapshot()).toMatchObject({ connected: false, display: { content: display } });
}

const frame = (b0: number, ...rest: number[]) => Uint8Array.of(b0, ...rest);
const first = (total: number, ...body: number[]) =>
  frame(0x80, FRAME_TYPE.EDHOC, total & 255, total >> 8, ...body);

describe("a malformed frame", () => {
  const FRAMES: readonly (readonly [string, readonly Bytes[], StatusName])[] = [
    ["nothing at all", [frame(0).slice(0, 0)], "FRAME"],
    ["a header cut short", [frame(0xc0, 1, 1)], "FRAME"],
    ["an unknown type", [frame(0xc0, 9, 1, 0, 7)], "FRAME"],
    ["no body", [first(5)], "FRAME"],
    ["length zero", [frame(0xc0, 1, 0, 0)], "FRAME"],
    ["L although bytes are missing", [frame(0xc0, 1, 5, 0, 7)], "FRAME"],
    ["no L although all bytes are there", [first(1, 7)], "FRAME"],
    ["more bytes than announced", [frame(0xc0, 1, 1, 0, 7, 8)], "FRAME"],
    ["a following frame first", [frame(1, 7)], "FRAME"],
    ["a gap", [first(9, 7), frame(2, 7)], "FRAME"],
    ["a repetition", [first(9, 7), frame(1, 7), frame(1, 7)], "FRAME"],
    ["F within a message", [first(9, 7), first(9, 7)], "FRAME"],
    ["more than max_msg", [first(2049, 7)], "TOO_LARGE"],
  ];

  it.each(FRAMES)("ends the session before keys: %s", async (_name, sent, code) => {
    const at = await stage(people);
    for (const each of sent) await at.central.raw("SEC", each);
    expect((await at.central.status()).code).toBe(code);
    expect(await lastWord(at.central)).toEqual(alerted(code));
    await expectEnd(at);
  });

  it.each(FRAMES)("is an alert, not a record, after keys: %s", async (_name, sent, code) => {
    const at = await reach(people, "RECEIVING");
    for (const each of sent) await at.central.raw("DATA", each);
    expect((await at.central.status()).code).toBe(code);
    expect(await lastWord(at.central)).toEqual(alerted(code));
    await expectEnd(at);
  });

  it.each(FRAMES)("shows in STATUS on v2.0: %s", async (_name, sent, code) => {
    const at = await reach(people, "PRESENTED");
    for (const each of sent) await at.central.raw("AUTH", each);
    expect(await at.central.status()).toMatchObject({ state: "IDLE", code });
    await expectEnd(at);
  });

  it("longer than the announced frame is an ATT error and changes nothing", async () => {
    const { tag } = await stage(people, { frame: 100 });
    const write = tag.write(PROFILE.characteristics.SEC.uuid, new Uint8Array(101));
    await expect(write).rejects.toMatchObject({ code: "INVALID_VALUE_LENGTH" });
    expect(tag.snapshot().state).toBe("CONNECTED");
  });
});

describe("a message in the wrong place", () => {
  it.each([
    ["a record before keys", "SEC", "APP"],
    ["a chain on SEC", "SEC", "CERTIFICATE_CHAIN"],
    ["a token on SEC", "SEC", "TOKEN"],
    ["a payload on SEC", "SEC", "PAYLOAD"],
  ] as const)("is alert 20: %s", async (_name, on, type) => {
    const at = await stage(people);
    await at.central.send(on, type, Uint8Array.of(1, 2, 3));
    expect(await lastWord(at.central)).toEqual(alerted("STATE"));
    await expectEnd(at);
  });

  it("is alert 20 for data on SEC, and for a commit on DATA", async () => {
    for (const [on, kind] of [
      ["SEC", 2],
      ["DATA", 3],
    ] as const) {
      const at = await reach(people, "AUTHORIZED");
      await at.central.send(on, "APP", Uint8Array.of(kind, 9, 9));
      expect(await lastWord(at.central)).toEqual(alerted("STATE"));
      await expectEnd(at);
    }
  });

  it("is STATUS 20 on v2.0", async () => {
    for (const [on, type] of [
      ["CERT", "TOKEN"],
      ["DATA", "EDHOC"],
    ] as const) {
      const at = await stage(people, { generation: "2.0" });
      await at.central.send(on, type, Uint8Array.of(1));
      expect(await at.central.status()).toMatchObject({ code: "STATE" });
      await expectEnd(at);
    }
  });
});

describe("message_1", () => {
  it.each([
    ["truncated", (bytes: Bytes) => bytes.slice(0, -1)],
    ["followed by half an item", (bytes: Bytes) => concat(bytes, Uint8Array.of(0x41))],
    ["with a critical item that is unknown", (bytes: Bytes) => concat(bytes, Uint8Array.of(0x20))],
    ["of another method", (bytes: Bytes) => concat(Uint8Array.of(3), bytes.slice(1))],
    [
      "with a C_I that must be an integer",
      (bytes: Bytes) => concat(bytes.slice(0, -1), Uint8Array.of(0x41, 0x05)),
    ],
    [
      "with a low-order key",
      (bytes: Bytes) => concat(bytes.slice(0, 4), new Uint8Array(32), bytes.slice(36)),
    ],
  ])("%s is EDHOC error 1 without a reason", async (_name, broken) => {
    const at = await stage(people);
    const { message } = await at.central.message1();
    await at.central.send("SEC", "EDHOC", broken(message));
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("of another suite is EDHOC error 2 twice, and the end the third time", async () => {
    const at = await stage(people, { suites: [3] });
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

  it("is refused where an earlier offer would do (pitfall 1)", async () => {
    const at = await stage(people);
    await at.central.send("SEC", "EDHOC", (await at.central.message1([6, 3])).message);
    const answer = await at.central.receive();
    expect(errorFrom("EDHOC_ERROR", answer?.message ?? new Uint8Array()).suitesR).toEqual([6, 3]);
  });

  it("is alert 18 once the bucket is empty, and passes again after ten seconds (pitfall 17)", async () => {
    const { tag, central, world } = await stage(people);
    for (let time = 0; time < 8; time++) {
      await central.send("SEC", "EDHOC", (await central.message1()).message);
      expect((await central.receive())?.type).toBe("EDHOC");
      tag.disconnect();
      await tag.connect();
    }
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    expect(await lastWord(central)).toEqual(alerted("BUSY"));
    world.advance(10_000);
    await tag.connect();
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    expect((await central.receive())?.type).toBe("EDHOC");
  });
});

describe("message_3", () => {
  const CREDENTIALS: readonly (readonly [string, string, () => Promise<TagCredential>])[] = [
    ["of another root", "CHAIN", async () => (await clientCa()).issue()],
    [
      "without the intermediate",
      "MESSAGE",
      async () => ({ ...people.client, chain: people.client.chain.slice(0, 1) }),
    ],
    [
      "in endpoint 7's order",
      "CHAIN",
      async () => ({ ...people.client, chain: [...people.client.chain].reverse() }),
    ],
    [
      "with a key that is not the leaf's",
      "AUTH_FAIL",
      async () => ({ ...people.client, privateKey: (await keyPair()).privateKey }),
    ],
    ["with a tag's certificate", "CHAIN", tagCredential],
    ["for a tag, by our own CA", "EKU", async () => people.clients.misuse()],
  ];

  it.each(CREDENTIALS)("%s is EDHOC error 1 without a reason", async (_name, reason, credential) => {
    const at = await stage(people);
    at.central.credential = await credential();
    const { message3 } = await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    // Why it failed is known inside only (pitfall 18).
    const refusal = at.events.find((event) => event.type === "refusal");
    expect(refusal).toMatchObject({ reason: expect.stringMatching(`^${reason}`), sent: "EDHOC_ERROR" });
    expect(at.tag.snapshot().status).toBe("OK");
    await expectEnd(at);
  });

  it("with one bit changed is EDHOC error 1", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    message3[100] = (message3[100] as number) ^ 1;
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("sent twice ends the session: it is not listed in ESTABLISHED", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    await at.central.send("SEC", "EDHOC", message3);
    await at.tag.settled();
    await expectEnd(at);
  });

  it("of an earlier connection fails on the next (pitfall 9)", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    at.tag.disconnect();
    await at.tag.connect();
    await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("is not answered where the client itself reports an error", async () => {
    const at = await reach(people, "WAIT_M3");
    await at.central.send("SEC", "EDHOC_ERROR", Uint8Array.of(1, 0x60));
    await at.tag.settled();
    await expectEnd(at);
    const said = at.events.flatMap((event) =>
      event.type === "message" && event.direction === "out" ? [event.name] : [],
    );
    expect(said).not.toContain("EDHOC error");
  });
});

describe("a record", () => {
  it.each([
    [
      "a changed bit",
      (record: Bytes) => concat(record.slice(0, -1), Uint8Array.of((record.at(-1) as number) ^ 1)),
    ],
    ["a missing byte", (record: Bytes) => record.slice(0, -1)],
    ["another kind", (record: Bytes) => concat(Uint8Array.of(5), record.slice(1))],
  ])("with %s ends everything in silence", async (_name, broken) => {
    const at = await reach(people, "ESTABLISHED");
    const record = await at.central.keys.seal({ kind: "abort" });
    await at.central.send("SEC", "APP", broken(record));
    await at.tag.settled();
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", status: "OK" });
    at.world.advance(30);
    expect(at.tag.snapshot().connected).toBe(false);
  });

  it("played back ends everything in silence", async () => {
    const at = await reach(people, "ESTABLISHED");
    const record = await at.central.keys.seal({ kind: "fresh" });
    await at.central.send("SEC", "APP", record);
    await at.central.nextHello();
    await at.central.send("SEC", "APP", record);
    await at.tag.settled();
    await expectEnd(at);
  });
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
    ["from before the certificate", "CRED_TIME", signed({ iat: NOW / 1000 - 3600, exp: NOW / 1000 - 3480 })],
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

describe("a commit on v2.1", () => {
  const other = encodePayload({ ...LABEL, licencePlate: "0117123457" });

  async function committing(
    staged: Bytes,
    changes: { sha256?: Bytes; total?: number } = {},
    granted = staged,
  ) {
    const at = await reach(people, "ESTABLISHED");
    await at.central.authorise(granted);
    await at.central.stage(staged);
    await at.central.commit(staged, changes);
    return at;
  }

  it.each([
    [
      "whose digest is not the staged bytes'",
      "DIGEST",
      () => committing(PAYLOAD, { sha256: new Uint8Array(32) }),
    ],
    ["of another payload than the token's", "DIGEST", () => committing(other, {}, PAYLOAD)],
    ["of another length", "OFFSET", () => committing(PAYLOAD, { total: PAYLOAD.length - 1 })],
    ["of something that is no payload", "STORAGE", () => committing(Uint8Array.of(0xa1, 0, 3))],
    ["of another operation than the token's", "DIGEST", () => committing(CLEAR)],
  ] as const)("%s is refused and changes nothing", async (_name, code, run) => {
    const at = await run();
    expect(await at.central.code()).toBe(STATUS[code]);
    await expectEnd(at);
    expect(at.tag.snapshot()).toMatchObject({ commits: 0, versionMin: "2.0" });
  });

  it("is refused with a low battery", async () => {
    const at = await reach(people, "RECEIVING");
    at.tag.faults.lowBattery = true;
    await at.central.commit(PAYLOAD);
    expect(await at.central.code()).toBe(STATUS.LOW_BATTERY);
    await expectEnd(at);
  });

  it("needs data at the offset that is due, and not too much of it", async () => {
    const gap = await reach(people, "AUTHORIZED");
    await gap.central.say({ kind: "data", offset: 1, data: PAYLOAD });
    expect(await gap.central.code()).toBe(STATUS.OFFSET);
    await expectEnd(gap);
    const flood = await reach(people, "AUTHORIZED");
    await flood.central.say({ kind: "data", offset: 0, data: new Uint8Array(513) });
    expect(await flood.central.code()).toBe(STATUS.STORAGE);
    await expectEnd(flood);
  });

  it("leaves an earlier label alone when it is refused", async () => {
    const at = await written(people);
    await at.tag.connect();
    await at.central.handshake();
    await at.central.authorise(other);
    await at.central.stage(CLEAR);
    await at.central.commit(CLEAR);
    expect(await at.central.code()).toBe(STATUS.DIGEST);
    await expectEnd(at, LABEL);
  });
});

describe("v2.0", () => {
  it.each([
    ["of another root", "CHAIN", async () => (await clientCa()).issue()],
    ["of a tag", "CHAIN", tagCredential],
    ["for a tag, by our own CA", "EKU", async () => people.clients.misuse()],
    ["leaf first", "CHAIN", async () => ({ ...people.client, chain: [...people.client.chain].reverse() })],
  ] as const)("refuses a chain %s with its code in STATUS", async (_name, code, credential) => {
    const at = await stage(people, { generation: "2.0" });
    at.central.credential = await credential();
    expect(await at.central.present()).toMatchObject({ state: "IDLE", code });
    await expectEnd(at);
  });

  it.each([
    ["without a payload digest", "TOKEN_BINDING", { payloadDigest: undefined }],
    ["with a channel binding", "TOKEN_BINDING", { channelBinding: new Uint8Array(32) }],
    ["of another phone", "TOKEN_BINDING", { cnfSpkiSha256: new Uint8Array(32) }],
    ["for v2.1", "VERSION", { version: "2.1" }],
    ["for another tag", "TOKEN_AUD", { aud: "ebt-20-0006" }],
    ["with another nonce", "TOKEN_NONCE", { nonce: new Uint8Array(16) }],
  ] as const)("refuses a token %s, and the next may be good", async (_name, code, changes) => {
    const at = await reach(people, "PRESENTED");
    const token = await at.central.plainToken(PAYLOAD, "write", changes as Partial<TokenClaims>);
    const nonce = await at.central.nonce();
    await at.central.send("AUTH", "TOKEN", token);
    expect(await at.central.status()).toMatchObject({ state: "PRESENTED", code });
    expect(await at.central.nonce()).not.toEqual(nonce);
    expect(await at.central.plainTransfer(PAYLOAD)).toMatchObject({ code: "COMMITTED" });
  });

  it("gives the same nonce until it is burnt or 120 s old", async () => {
    const at = await reach(people, "PRESENTED");
    const nonce = await at.central.nonce();
    expect(await at.central.nonce()).toEqual(nonce);
    at.world.advance(119_000);
    expect(await at.central.nonce()).toEqual(nonce);
    at.world.advance(2_000);
    expect(await at.central.nonce()).not.toEqual(nonce);
  });

  it("locks at the third refused token", async () => {
    const at = await reach(people, "LOCKOUT", "2.0");
    expect(at.tag.snapshot()).toMatchObject({ status: "LOCKOUT" });
  });

  it.each([
    ["another content", "DIGEST", encodePayload({ ...LABEL, name: "EVE" })],
    ["a clear", "DIGEST", CLEAR],
    ["too much", "STORAGE", new Uint8Array(600)],
  ] as const)("refuses %s than was bound", async (_name, code, payload) => {
    const at = await reach(people, "AUTHORIZED", "2.0");
    await at.central.send("DATA", "PAYLOAD", payload);
    expect(await at.central.status()).toMatchObject({ state: "IDLE", code });
    await expectEnd(at);
  });

  it("is gone after the first v2.1 commit (pitfall 2)", async () => {
    const at = await written(people);
    await at.tag.connect();
    expect(await at.central.info()).toMatchObject({ versionMax: 21, versionMin: 21 });
    expect(await at.central.nonce()).toHaveLength(0);
    expect(await at.central.present()).toMatchObject({ state: "IDLE", code: "VERSION" });
    await expectEnd(at, LABEL);
  });

  it("is there before it", async () => {
    const at = await stage(people);
    await at.central.present();
    expect(await at.central.plainTransfer(PAYLOAD)).toMatchObject({ code: "COMMITTED" });
    expect(at.tag.snapshot().versionMin).toBe("2.0");
  });
});
