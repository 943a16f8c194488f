import { afterEach, describe, expect, it, vi } from "vitest";
import { type Bytes, fromHex } from "../encoding/bytes.ts";
import { openInitiatorChannel, openResponderChannel } from "./channel.ts";
import { ED25519, ES256, type SignatureScheme } from "./primitives.ts";
import { nextSuites, PRODUCTION_SUITES, SUITES, type SuiteId, suiteOf } from "./suites.ts";
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
