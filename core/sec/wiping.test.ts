import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Bytes, fromHex } from "../encoding/bytes.ts";
import { CborReader } from "../encoding/cbor.ts";
import { openInitiatorChannel } from "./channel.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "./initiator.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "./responder.ts";
import { SUITES } from "./suites.ts";
import {
  credentialOf,
  flipped,
  initiatorConfig,
  responderConfig,
  shakeHands,
} from "./test-support/parties.ts";

/** Secrets of handshakes and channels in the very buffers they came in, by what they are (RFC 9528 §4.1.2, protocol.md, A v2.1 transfer). */
type Secret = "G_XY" | "PRK_2e" | "K_3" | "PRK_out" | "K_4" | "PRK_exporter" | "channel key" | "channel IV";
const BY_LABEL: Readonly<Record<number, Secret>> = {
  3: "K_3",
  7: "PRK_out",
  8: "K_4",
  10: "PRK_exporter",
  32768: "channel key",
  32769: "channel key",
  32770: "channel IV",
  32771: "channel IV",
};

let seen: [Secret, Bytes][];
const all = (name: Secret) => seen.filter(([secret]) => secret === name).map(([, bytes]) => bytes);
const isZero = (bytes: Bytes) => bytes.every((byte) => byte === 0);

beforeEach(() => {
  seen = [];
  const { hash } = SUITES[6];
  const { extract, expand } = hash;
  vi.spyOn(hash, "extract").mockImplementation(async (salt, input) => {
    const prk = await extract(salt, input);
    seen.push(["G_XY", input], ["PRK_2e", prk]);
    return prk;
  });
  vi.spyOn(hash, "expand").mockImplementation(async (key, info, length) => {
    const output = await expand(key, info, length);
    const secret = BY_LABEL[new CborReader(info).int()];
    if (secret !== undefined) seen.push([secret, output]);
    return output;
  });
});
afterEach(() => vi.restoreAllMocks());

describe("after a handshake", () => {
  it.each<[Secret, number]>([
    ["G_XY", 2],
    ["PRK_2e", 2],
    ["K_3", 2],
    ["K_4", 2],
    ["PRK_out", 2],
  ])("%s is zero on both sides", async (secret, copies) => {
    await shakeHands();
    expect(all(secret).map(isZero)).toEqual(new Array(copies).fill(true));
  });

  it("the exporter's key is there until its session is destroyed", async () => {
    const { initiator, responder } = await shakeHands();
    expect(all("PRK_exporter").map(isZero)).toEqual([false, false]);
    initiator.destroy();
    responder.destroy();
    expect(all("PRK_exporter").map(isZero)).toEqual([true, true]);
  });
});

describe("a channel", () => {
  const INFO = fromHex("15150700f40000100102");

  it("keeps of its session what it needs, and zeroes that when it ends", async () => {
    const { initiator } = await shakeHands();
    const before = all("PRK_exporter").filter(isZero).length;
    const channel = await openInitiatorChannel(initiator, INFO);
    expect(all("channel key").map(isZero)).toEqual([true, true]);
    expect(all("PRK_exporter").filter(isZero).length).toBe(before + 1);
    expect(all("channel IV").map(isZero)).toEqual([false, false]);
    channel.destroy();
    expect(all("channel IV").map(isZero)).toEqual([true, true]);
  });
});

describe("a handshake that fails leaves no PRK behind", () => {
  const unable = { sign: () => Promise.reject(new Error("the secure element is gone")) };
  const unableTo = async (role: "initiator" | "responder") => ({
    credential: { chain: (await credentialOf(role)).chain, ...unable },
  });
  async function upToMessage2() {
    const first = await writeMessage1(await initiatorConfig());
    const accepted = await readMessage1(await responderConfig(), first.message);
    return { first, second: await writeMessage2(accepted) };
  }
  async function upToMessage3() {
    const { first, second } = await upToMessage2();
    return { second, third: await writeMessage3((await readMessage2(first.state, second.message)).state) };
  }

  it("when the tag cannot sign", async () => {
    const { message } = await writeMessage1(await initiatorConfig());
    const accepted = await readMessage1(
      { ...(await responderConfig()), ...(await unableTo("responder")) },
      message,
    );
    await expect(writeMessage2(accepted)).rejects.toThrow("secure element");
    expect(all("PRK_2e").map(isZero)).toEqual([true]);
  });

  it("when message_2 is not believed", async () => {
    const { first, second } = await upToMessage2();
    const forged = flipped(second.message, 8 * second.message.length - 1);
    await expect(readMessage2(first.state, forged)).rejects.toThrow();
    expect(all("PRK_2e").map(isZero)).toEqual([false, true]);
  });

  it("when the client cannot sign", async () => {
    const first = await writeMessage1({ ...(await initiatorConfig()), ...(await unableTo("initiator")) });
    const second = await writeMessage2(await readMessage1(await responderConfig(), first.message));
    const { state } = await readMessage2(first.state, second.message);
    await expect(writeMessage3(state)).rejects.toThrow("secure element");
    expect(all("PRK_2e").map(isZero)).toEqual([false, true]);
  });

  it("when message_3 is not believed", async () => {
    const { second, third } = await upToMessage3();
    await expect(readMessage3(second.state, flipped(third.message, 100))).rejects.toThrow();
    expect(all("PRK_2e").map(isZero)).toEqual([true, false]);
  });

  it("when message_4 is not believed", async () => {
    const { second, third } = await upToMessage3();
    const { message } = await writeMessage4((await readMessage3(second.state, third.message)).state);
    await expect(readMessage4(third.state, flipped(message, 20))).rejects.toThrow();
    expect(all("PRK_2e").map(isZero)).toEqual([true, true]);
  });

  it("when the tag gives it up before message_3", async () => {
    const { second } = await upToMessage2();
    second.state.discard();
    expect(all("PRK_2e").map(isZero)).toEqual([true]);
  });
});
