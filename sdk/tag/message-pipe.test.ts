import { describe, expect, test, vi } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { type FrameType, PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { frames } from "../../core/sec/framing.ts";
import { neverCancelled } from "../abort.ts";
import { scriptedTag, virtually } from "../test-support/scripted-session.ts";
import type { TagConnection } from "./link.ts";
import { SecPipe, sendMessage } from "./message-pipe.ts";

const SEC = PROFILE.characteristics.SEC.uuid;
const signal = neverCancelled();
const EMPTY = new Uint8Array();

/** A pipe whose reads bring `values`, and nothing more after them; each takes a second. */
async function pipeOf(values: readonly Bytes[], maxMessage = 100) {
  const { info } = (await scriptedTag("2.1")).connect({ info: { maxMessage } });
  const left = [...values];
  const read = vi.fn(async (_uuid: string) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return left.shift() ?? EMPTY;
  });
  const write = vi.fn(async (_uuid: string, _value: Bytes) => undefined);
  const pipe = new SecPipe({ read, write } as unknown as TagConnection, info);
  return { pipe, read, write };
}

const framed = (type: FrameType, length: number) => frames(type, new Uint8Array(length).fill(5), 20);

async function received(values: readonly Bytes[], patience = 5_000): Promise<unknown> {
  return virtually(async () => {
    const { pipe } = await pipeOf(values);
    return pipe.receive("APP", patience, signal).catch((error: { code: string }) => error.code);
  });
}

describe("receiving", () => {
  test("puts a message together, however often the tag has nothing yet", async () => {
    const [first, second, ...rest] = framed("APP", 50) as [Bytes, Bytes];
    expect(await received([EMPTY, first, EMPTY, second, ...rest])).toEqual(new Uint8Array(50).fill(5));
  });

  test("reads SEC, and no more than the one message", async () => {
    await virtually(async () => {
      const { pipe, read } = await pipeOf([...framed("APP", 10), ...framed("APP", 10)]);
      await pipe.receive("APP", 5_000, signal);
      expect(read.mock.calls.map(([uuid]) => uuid)).toEqual([SEC]);
    });
  });

  test.each<[string, readonly Bytes[], string]>([
    ["a message of another type", framed("EDHOC", 10), "protocol"],
    ["an alert", frames("ALERT", Uint8Array.of(STATUS.TIMEOUT), 20), "PEER_ERROR"],
    ["an EDHOC error", frames("EDHOC_ERROR", Uint8Array.of(1, 0x60), 20), "PEER_ERROR"],
    ["a suite it does not have", frames("EDHOC_ERROR", Uint8Array.of(2, 3), 20), "SUITE"],
    ["a frame out of order", framed("APP", 50).slice(1), "FRAME"],
    ["a message longer than it may be", framed("APP", 101), "TOO_LARGE"],
  ])("ends at %s", async (_what, values, code) => {
    expect(await received(values)).toBe(code);
  });

  test("lasts as long as its patience, and no longer", async () => {
    const late = (seconds: number) => [...Array.from({ length: seconds }, () => EMPTY), ...framed("APP", 10)];
    expect(await received(late(5))).toHaveLength(10);
    expect(await received(late(6))).toBe("timeout");
  });
});

describe("sending", () => {
  test.each([
    ["with a response each", false, {}, [false, false]],
    ["in a hurry, but the last", true, {}, [true, false]],
    ["in a hurry, all where another message follows", true, { followed: true }, [true, true]],
    ["with a response each, whatever follows", false, { followed: true }, [false, false]],
  ])("has frames written %s", async (_how, hurry, on, goesOn) => {
    const { info } = (await scriptedTag("2.1")).connect();
    const write = vi.fn(async (..._values: unknown[]) => undefined);
    const pipe = new SecPipe({ write } as unknown as TagConnection, info, hurry);
    await pipe.send("APP", new Uint8Array(300), signal, on);
    expect(write.mock.calls.map((call) => call[3])).toEqual(goesOn);
  });

  test("writes frames that the tag can hold, and reports what is done, and the last one before it", async () => {
    const { write } = await pipeOf([]);
    const reported: unknown[] = [];
    write.mockImplementation(async (_uuid, value) => void reported.push(value.length));
    const message = { type: "PAYLOAD", message: new Uint8Array(54), frame: 20 } as const;
    const on = {
      frame: (done: number) => reported.push(done.toFixed(2)),
      last: async () => void reported.push("last"),
    };
    await sendMessage({ write } as unknown as TagConnection, "uuid", message, signal, on);
    expect(reported).toEqual([20, "0.33", 20, "0.67", "last", 20, "1.00"]);
    expect(write.mock.calls.map(([uuid]) => uuid)).toEqual(["uuid", "uuid", "uuid"]);
  });

  test("over the pipe goes to SEC, framed as INFO says", async () => {
    const { pipe, write } = await pipeOf([]);
    await pipe.send("APP", new Uint8Array(300), signal);
    expect(write.mock.calls.map(([uuid, value]) => [uuid, value.length])).toEqual([
      [SEC, 244],
      [SEC, 61],
    ]);
  });
});
