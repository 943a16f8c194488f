import { describe, expect, it } from "vitest";
import { type Bytes, concat, fromHex, toHex } from "../encoding/bytes.ts";
import { FRAME_TYPE, type FrameType, MAX_FRAME } from "../gatt/profile.ts";
import { FrameQueue, frames, Reassembler } from "./framing.ts";
import { codeOf } from "./test-support/parties.ts";

const counting = (length: number): Bytes => Uint8Array.from({ length }, (_, i) => i & 0xff);

function pushAll(reassembler: Reassembler, parts: readonly Bytes[]) {
  return parts.map((part) => reassembler.push(part)).at(-1);
}

describe("frames", () => {
  it("carry type and little-endian length in the first, sequence and end in every one", () => {
    const parts = frames("EDHOC", counting(9), 7).map(toHex);
    expect(parts).toEqual(["80" + "01" + "0900" + "000102", "41" + "030405060708"]);
  });

  it("are a single one for a short message", () => {
    expect(frames("ALERT", Uint8Array.of(16), 20).map(toHex)).toEqual(["c07f010010"]);
  });

  it.each([
    [5, 1],
    [20, 40],
    [20, 16],
    [20, 17],
    [182, 923],
    [244, 912],
    [512, 4096],
    [512, 65535],
  ])("of %i bytes carry a message of %i bytes and are never longer", (frameLength, length) => {
    const parts = frames("PAYLOAD", counting(length), frameLength);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(frameLength);
    const whole = pushAll(new Reassembler(65535, frameLength), parts);
    expect(whole).toEqual({ type: "PAYLOAD", message: counting(length) });
  });

  it("number themselves modulo 64 and wrap", () => {
    const parts = frames("APP", counting(200), 5);
    expect(parts.length).toBe(50 + 1);
    const many = frames("APP", counting(1000), 5);
    expect(many.slice(62, 67).map((part) => (part[0] as number) & 0x3f)).toEqual([62, 63, 0, 1, 2]);
    expect(pushAll(new Reassembler(1000), many)?.message).toEqual(counting(1000));
  });

  it.each(Object.keys(FRAME_TYPE) as FrameType[])("keep the type %s", (type) => {
    expect(pushAll(new Reassembler(10), frames(type, counting(3), 20))?.type).toBe(type);
  });

  it("are not made of nothing, of too much, or for an impossible length", () => {
    expect(() => frames("APP", new Uint8Array(), 20)).toThrow(RangeError);
    expect(() => frames("APP", new Uint8Array(65536), 20)).toThrow(RangeError);
    expect(() => frames("APP", counting(1), 4)).toThrow(RangeError);
    expect(() => frames("APP", counting(1), MAX_FRAME + 1)).toThrow(RangeError);
  });
});

describe("a reassembler", () => {
  it("takes one message after the other", () => {
    const reassembler = new Reassembler(100);
    const first = pushAll(reassembler, frames("EDHOC", counting(50), 20));
    const second = pushAll(reassembler, frames("APP", counting(60), 20));
    expect([first?.type, second?.type, second?.message.length]).toEqual(["EDHOC", "APP", 60]);
  });

  it("is open exactly between the first and the last frame", () => {
    const reassembler = new Reassembler(100);
    const [first, last] = frames("EDHOC", counting(20), 20) as [Bytes, Bytes];
    expect(reassembler.open).toBe(false);
    reassembler.push(first);
    expect(reassembler.open).toBe(true);
    reassembler.push(last);
    expect(reassembler.open).toBe(false);
  });

  it("takes a message of exactly the longest length", () => {
    expect(pushAll(new Reassembler(30), frames("APP", counting(30), 20))?.message.length).toBe(30);
  });

  it("owns the message it returns", () => {
    const frame = frames("APP", counting(3), 20)[0] as Bytes;
    const whole = new Reassembler(10).push(frame);
    frame.fill(0xff);
    expect(whole?.message).toEqual(counting(3));
  });

  const three = frames("APP", counting(40), 20);
  const [a, b, c] = three as [Bytes, Bytes, Bytes];
  const patched = (frame: Bytes, at: number, byte: number): Bytes => {
    const copy = frame.slice();
    copy[at] = byte;
    return copy;
  };

  it.each<[string, "FRAME" | "TOO_LARGE", Bytes[]]>([
    ["half of a length that would be too large", "FRAME", [fromHex("8003ff")]],
    ["a continuation that looks like a header", "FRAME", [fromHex("4003040000")]],
    ["a first frame in the second's place", "FRAME", [a, patched(a, 0, 0x81)]],
    ["frames in another order", "FRAME", [a, c, b]],
    ["a first frame with more than was announced", "FRAME", [fromHex("c00301000000")]],
    ["a frame longer than agreed", "FRAME", frames("APP", counting(40), 21)],
  ])("refuses %s", async (_what, code, parts) => {
    const reassembler = new Reassembler(100, 20);
    expect(await codeOf(() => pushAll(reassembler, parts))).toBe(code);
    expect(reassembler.open).toBe(false);
  });
});

describe("values that are read", () => {
  const queued = (frameLength: number, lengths: readonly number[]) => {
    const queue = new FrameQueue();
    for (const length of lengths) queue.add("APP", counting(length));
    const values: Bytes[] = [];
    while (!queue.empty) values.push(concat(...queue.take(frameLength)));
    return values;
  };

  it.each([5, 7, 20, 182, 244, 512])(
    "carry several messages in values of %i bytes, each full but the last",
    (room) => {
      const lengths = [17, 97, 1, 300, 2, 1, 500];
      const values = queued(room, lengths);
      const reader = new Reassembler(1000, room);
      const read = values.flatMap((value) => reader.pushValue(value));
      expect(read.map(({ message }) => message)).toEqual(lengths.map(counting));
      // A head without a body is no frame: up to four bytes of a value may stay empty.
      for (const value of values.slice(0, -1)) expect(value.length).toBeGreaterThan(room - 5);
    },
  );

  it("bring message_4 and hello, or COMMITTED and a statement, in one of 244 bytes", () => {
    expect(queued(244, [17, 130]).length).toBe(1);
    expect(queued(244, [20, 20, 168]).length).toBe(1);
    expect(new FrameQueue().take(244)).toEqual([]);
  });

  it.each<[string, string]>([
    ["behind a message in the middle of its own", "c003020001024302"],
    ["of which the second is no frame", "c003010001ff"],
    ["of which the second has no F", "c00301000141 02".replace(" ", "")],
    ["of which the first is longer than its value", "c0030300 0102".replace(" ", "")],
    ["of which the first does not say that it ends", "80030100 01 c003010001".replaceAll(" ", "")],
  ])("are refused %s", async (_what, hex) => {
    const reader = new Reassembler(100, 244);
    expect(await codeOf(async () => reader.pushValue(fromHex(hex)))).toBe("FRAME");
  });

  it("are nothing where they are empty: read again", () => {
    expect(new Reassembler(100).pushValue(new Uint8Array())).toEqual([]);
  });
});
