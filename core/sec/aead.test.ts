import { describe, expect, it, vi } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import { AES_GCM_16, aesCcm } from "./suites.ts";
import { flipped } from "./test-support/parties.ts";

describe("AES-CCM", () => {
  it("gives packet vector 1 of RFC 3610 with its 8-byte tag", async () => {
    const key = await aesCcm(8).key(fromHex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"));
    const nonce = fromHex("00000003020100a0a1a2a3a4a5");
    const header = fromHex("0001020304050607");
    const text = fromHex("08090a0b0c0d0e0f101112131415161718191a1b1c1d1e");
    const sealed = await key.seal(nonce, header, text);
    expect(toHex(sealed)).toBe("588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0");
    expect(await key.open(nonce, header, sealed)).toEqual(text);
  });

  it("gives packet vector 2 of RFC 3610, whose text fills its last block", async () => {
    const key = await aesCcm(8).key(fromHex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"));
    const nonce = fromHex("00000004030201a0a1a2a3a4a5");
    const text = fromHex("08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    const sealed = await key.seal(nonce, fromHex("0001020304050607"), text);
    expect(toHex(sealed)).toBe("72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3ba091d56e10400916");
  });
});

describe("AES-CCM as OpenSSL has it", () => {
  it.each([
    [
      "no associated data",
      0,
      20,
      16,
      "26bb2a1be206b48ee10312cb755d36db70890f2355b28fe1ce5de226517ab85c7db679da",
    ],
    ["nothing at all", 0, 0, 8, "5e5234e976e983a6"],
    [
      "a block filled by associated data",
      14,
      16,
      16,
      "26bb2a1be206b48ee10312cb755d36db662c57513913c964c34c71a769f6d0f4",
    ],
    ["300 bytes of associated data", 300, 5, 16, "26bb2a1be2f1435859bb85d3768ab0dc671ff9b20e"],
  ] as const)("seals %s", async (_what, associated, text, tagLength, sealed) => {
    const key = await aesCcm(tagLength).key(fromHex("000102030405060708090a0b0c0d0e0f"));
    const data = new Uint8Array(associated).fill(0xa5);
    const nonce = fromHex("101112131415161718191a1b1c");
    expect(toHex(await key.seal(nonce, data, new Uint8Array(text).fill(0x5a)))).toBe(sealed);
  });

  it.each([
    [8, "73c93a632ed1823e"],
    [16, "c4f6821855537ead164cdd9f912f247d"],
  ] as const)("seals a text whose length takes two bytes, with a tag of %i", async (tagLength, tag) => {
    const key = await aesCcm(tagLength).key(new Uint8Array(16).fill(1));
    const data = new Uint8Array(11).fill(3);
    const sealed = await key.seal(new Uint8Array(13).fill(2), data, new Uint8Array(300).fill(4));
    expect(toHex(sealed.slice(0, 8))).toBe("2f74b151b9a8823b");
    expect(toHex(sealed.slice(300))).toBe(tag);
  });
});

it("AES-GCM does not take a failing engine for a wrong tag", async () => {
  const key = await AES_GCM_16.key(new Uint8Array(16));
  const broken = vi.spyOn(crypto.subtle, "decrypt").mockRejectedValue(new TypeError("engine"));
  try {
    const opening = key.open(new Uint8Array(12), new Uint8Array(), new Uint8Array(16));
    await expect(opening).rejects.toThrow(TypeError);
  } finally {
    broken.mockRestore();
  }
});

describe("AES-CCM with a length field of two bytes", () => {
  const nonce = new Uint8Array(13);

  it("takes the longest text and the longest associated data that these can say", async () => {
    const key = await aesCcm(16).key(new Uint8Array(16));
    const [text, associated] = [new Uint8Array(0xffff).fill(5), new Uint8Array(0xfeff)];
    expect(await key.open(nonce, associated, await key.seal(nonce, associated, text))).toEqual(text);
  });

  it.each([
    ["text", 0, 0x1_0000],
    ["associated data", 0xff00, 0],
  ])("seals no longer %s", async (_what, associated, text) => {
    const key = await aesCcm(16).key(new Uint8Array(16));
    const sealing = key.seal(nonce, new Uint8Array(associated), new Uint8Array(text));
    await expect(sealing).rejects.toThrow(RangeError);
  });
});

describe.each([
  ["AES-GCM", AES_GCM_16],
  ["AES-CCM with 16 bytes of tag", aesCcm(16)],
  ["AES-CCM with 8 bytes of tag", aesCcm(8)],
])("%s", (_name, aead) => {
  const nonce = new Uint8Array(aead.nonceLength).fill(7);
  const associated = new Uint8Array(20).fill(3);

  it.each([0, 1, 15, 16, 17, 900])("opens what it sealed, %i bytes long", async (length) => {
    const key = await aead.key(new Uint8Array(16).fill(1));
    const text = new Uint8Array(length).fill(9);
    const sealed = await key.seal(nonce, associated, text);
    expect(sealed.length).toBe(length + aead.tagLength);
    expect(await key.open(nonce, associated, sealed)).toEqual(text);
  });

  it("opens nothing after a change of any byte, of the nonce or of the associated data", async () => {
    const key = await aead.key(new Uint8Array(16).fill(1));
    const sealed = await key.seal(nonce, associated, new Uint8Array(20));
    for (let i = 0; i < sealed.length; i++) {
      expect(await key.open(nonce, associated, flipped(sealed, 8 * i))).toBeUndefined();
    }
    expect(await key.open(flipped(nonce, 0), associated, sealed)).toBeUndefined();
    expect(await key.open(nonce, flipped(associated, 0), sealed)).toBeUndefined();
    expect(await key.open(nonce, new Uint8Array(), sealed)).toBeUndefined();
  });

  it("opens nothing that is shorter than its tag", async () => {
    const key = await aead.key(new Uint8Array(16));
    expect(await key.open(nonce, associated, new Uint8Array(aead.tagLength - 1))).toBeUndefined();
    expect(await key.open(nonce, associated, new Uint8Array())).toBeUndefined();
  });
});
