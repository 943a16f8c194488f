import { afterEach, describe, expect, it, vi } from "vitest";
import { type Bytes, fromHex, toHex } from "../encoding/bytes.ts";
import { openInitiatorChannel, openResponderChannel } from "./channel.ts";
import { ED25519, ES256, type SignatureScheme } from "./primitives.ts";
import {
  AES_GCM_16,
  aesCcm,
  nextSuites,
  PRODUCTION_SUITES,
  SUITES,
  type SuiteId,
  suiteOf,
} from "./suites.ts";
import { flipped, shakeHands } from "./test-support/parties.ts";

describe("the suites", () => {
  it("have the lengths that RFC 9528 §3.6 gives them", () => {
    const rows = Object.values(SUITES).map(({ id, aead }) => [id, aead.nonceLength, aead.tagLength]);
    expect(rows).toEqual([
      [0, 13, 8],
      [2, 13, 8],
      [3, 13, 16],
      [6, 12, 16],
    ]);
  });

  it("in production are 6, then 3", () => {
    expect(PRODUCTION_SUITES).toEqual([6, 3]);
  });

  it.each([1, 4, 5, 7, 24, 25, -1, 6.5, Number.NaN])("do not include %d", (id) => {
    expect(suiteOf(id)).toBeUndefined();
  });
});

describe("SUITES_I", () => {
  it("is 6 alone at first", () => {
    expect(nextSuites()).toEqual([6]);
  });

  it.each<[string, number[], (0 | 2 | 3 | 6)[], readonly number[] | undefined]>([
    ["selects 3 after 6 was refused for 3", [3], [6], [6, 3]],
    ["selects 3 for a tag remembered as suite 3", [3], [], [6, 3]],
    ["selects 6 where the tag prefers 3 but has 6", [3, 6], [], [6]],
    ["ignores suites we do not know", [24, 3, -21], [6], [6, 3]],
    ["ends where nothing is common", [0, 2, 24], [6], undefined],
    ["ends where nothing is supported", [], [6], undefined],
    ["ends where 6 was refused and is claimed all the same", [6, 3], [6], undefined],
    ["ends where both were refused", [3], [6, 3], undefined],
  ])("%s", (_what, suitesR, refused, expected) => {
    expect(nextSuites(suitesR, refused)).toEqual(expected);
  });
});

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const P384 = { name: "ECDSA", namedCurve: "P-384" } as const;
const pairOf = async (algorithm: typeof P256 | typeof P384 | "Ed25519") =>
  (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;

const DATA = fromHex("0102");

describe.each<[string, SignatureScheme, typeof P256 | "Ed25519", typeof P384 | typeof P256 | "Ed25519"]>([
  ["ES256", ES256, P256, "Ed25519"],
  ["ES256 beside another curve", ES256, P256, P384],
  ["Ed25519", ED25519, "Ed25519", P256],
])("%s", (_name, scheme, own, other) => {
  async function signed() {
    const pair = await pairOf(own);
    return { pair, signature: await scheme.sign(pair.privateKey, DATA) };
  }

  it("makes raw signatures of 64 bytes that verify", async () => {
    const { pair, signature } = await signed();
    expect(signature.length).toBe(64);
    expect(await scheme.verify(pair.publicKey, signature, DATA)).toBe(true);
  });

  it("does not verify other data, another signature or another length", async () => {
    const { pair, signature } = await signed();
    const verify = (candidate: Bytes, data = DATA) => scheme.verify(pair.publicKey, candidate, data);
    expect(await verify(signature, fromHex("0103"))).toBe(false);
    for (const at of [0, 255, 256, 511]) expect(await verify(flipped(signature, at))).toBe(false);
    expect(await verify(signature.slice(0, 63))).toBe(false);
    expect(await verify(new Uint8Array())).toBe(false);
  });

  it("is false, not an exception, for a key of another kind", async () => {
    const { signature } = await signed();
    const stranger = await pairOf(other);
    expect(await scheme.verify(stranger.publicKey, signature, DATA)).toBe(false);
  });
});

const INFO = fromHex("15150700f40000100102");

/** Every key that is not public which the engine makes or takes from here on. */
function watched(): CryptoKey[] {
  const { generateKey, importKey } = crypto.subtle;
  const keys: CryptoKey[] = [];
  const subtle = crypto.subtle as unknown as Record<string, (...args: never[]) => Promise<unknown>>;
  vi.spyOn(subtle, "generateKey").mockImplementation(async (...args) => {
    const pair: CryptoKeyPair = await Reflect.apply(generateKey, crypto.subtle, args);
    keys.push(pair.privateKey);
    return pair;
  });
  vi.spyOn(subtle, "importKey").mockImplementation(async (...args) => {
    const key: CryptoKey = await Reflect.apply(importKey, crypto.subtle, args);
    if (key.type !== "public") keys.push(key);
    return key;
  });
  return keys;
}

afterEach(() => vi.restoreAllMocks());

it.each<readonly [string, readonly SuiteId[]]>([
  ["GCM", [6]],
  ["CCM", [6, 3]],
])("no key of a session with %s can be exported", async (_name, suites) => {
  const keys = watched();
  const { initiator, responder } = await shakeHands(suites);
  const client = await openInitiatorChannel(initiator, INFO);
  const tag = await openResponderChannel(responder, INFO);
  await tag.open(await client.seal({ kind: "fresh" }));
  // The two sides' own credentials are the test's.
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter(({ extractable }) => extractable)).toEqual([]);
});

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
