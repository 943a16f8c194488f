import { beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { FRAME_TYPE, PROFILE, type StatusName } from "../../core/gatt/profile.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { alerted, expectEnd, lastWord, reach, stage } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

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
