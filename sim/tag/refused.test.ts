import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { FRAME_TYPE, PROFILE, STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import {
  alerted,
  CLEAR,
  EDHOC_REFUSAL,
  expectEnd,
  LABEL,
  lastWord,
  PAYLOAD,
  reach,
  stage,
  written,
} from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("message_1", () => {
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
});

describe("message_3", () => {
  it("without an intermediate, which the tag does not know either, is EDHOC error 1 without a reason", async () => {
    const at = await stage(people);
    at.central.credential = { ...people.client, chain: people.client.chain.slice(0, 1) };
    await at.central.send("SEC", "EDHOC", (await at.central.begin()).message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    const refusal = at.events.find((event) => event.type === "refusal");
    expect(refusal).toMatchObject({ reason: expect.stringMatching("^CHAIN"), sent: "EDHOC_ERROR" });
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

it("a record that was changed ends everything in silence", async () => {
  const at = await reach(people, "ESTABLISHED");
  const record = await at.central.keys.seal({ kind: "abort" });
  await at.central.send("SEC", "APP", record.slice(0, -1));
  await at.tag.settled();
  expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", status: "OK" });
  at.world.advance(30);
  expect(at.tag.snapshot().connected).toBe(false);
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

describe("a commit on v2.1", () => {
  const other = encodePayload({ ...LABEL, licencePlate: "0117123457" });

  it("of another payload than the token's is refused and changes nothing", async () => {
    const at = await reach(people, "ESTABLISHED");
    await at.central.authorize(PAYLOAD);
    await at.central.stage(other);
    await at.central.commit(other);
    expect(await at.central.code()).toBe(STATUS.DIGEST);
    await expectEnd(at);
    expect(at.tag.snapshot()).toMatchObject({ commits: 0, versionMin: "2.0" });
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
    await at.central.authorize(other);
    await at.central.stage(CLEAR);
    await at.central.commit(CLEAR);
    expect(await at.central.code()).toBe(STATUS.DIGEST);
    await expectEnd(at, LABEL);
  });
});
