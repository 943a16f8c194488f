import { afterEach, describe, expect, it, vi } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import { type Ecdh, P256, X25519 } from "./ecdh.ts";
import { codeOf } from "./test-support/parties.ts";

afterEach(() => vi.restoreAllMocks());

/** An engine of before X25519: every use of the name is refused as WebCrypto refuses unknown names. */
function hideX25519() {
  const { generateKey, importKey } = crypto.subtle;
  const named = (algorithm: unknown) =>
    algorithm === "X25519" || (algorithm as { name?: string }).name === "X25519";
  const refuse = () => Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"));
  const subtle = crypto.subtle as unknown as Record<string, (...args: never[]) => Promise<unknown>>;
  vi.spyOn(subtle, "generateKey").mockImplementation((...args) =>
    named(args[0]) ? refuse() : Reflect.apply(generateKey, crypto.subtle, args),
  );
  vi.spyOn(subtle, "importKey").mockImplementation((...args) =>
    named(args[2]) ? refuse() : Reflect.apply(importKey, crypto.subtle, args),
  );
}

/** An engine that imports no compressed points. */
function hideCompressedPoints() {
  const { importKey } = crypto.subtle;
  const subtle = crypto.subtle as unknown as Record<string, (...args: never[]) => Promise<unknown>>;
  vi.spyOn(subtle, "importKey").mockImplementation((...args) => {
    const data = args[1] as unknown;
    const compressed = args[0] === ("raw" as unknown) && data instanceof Uint8Array && data.length === 33;
    if (compressed) return Promise.reject(new DOMException("Unsupported.", "DataError"));
    return Reflect.apply(importKey, crypto.subtle, args);
  });
}

const PRIVATE = fromHex("b0f14d36f0fedd658f870e5d3c5d1797998a17239f6545150cdf081503ad6091");

describe.each<[string, Ecdh, () => void]>([
  ["X25519 by the engine", X25519, () => {}],
  ["X25519 in an engine that lacks it", X25519, hideX25519],
  ["P-256 by the engine", P256, () => {}],
  ["P-256 in an engine without compressed points", P256, hideCompressedPoints],
])("%s", (_name, ecdh, prepare) => {
  it("gives both sides the same secret of 32 bytes", async () => {
    prepare();
    const [a, b] = [await ecdh.generate(), await ecdh.generate()];
    const [ab, ba] = [await a.agree(b.publicKey), await b.agree(a.publicKey)];
    expect(ab).toEqual(ba);
    expect(ab.length).toBe(32);
    expect(a.publicKey.length).toBe(ecdh.publicLength);
  });

  it("agrees with a key of given bytes", async () => {
    prepare();
    const [a, b] = [await ecdh.fromPrivate(PRIVATE), await ecdh.generate()];
    expect(await a.agree(b.publicKey)).toEqual(await b.agree(a.publicKey));
  });

  it("never generates the same key twice, and reveals no private key", async () => {
    prepare();
    const [a, b] = [await ecdh.generate(), await ecdh.generate()];
    expect(toHex(a.publicKey)).not.toBe(toHex(b.publicKey));
    expect(a.privateKey).toBeUndefined();
  });

  it("agrees once per key", async () => {
    prepare();
    const [a, b] = [await ecdh.generate(), await ecdh.generate()];
    await a.agree(b.publicKey);
    expect(await codeOf(() => a.agree(b.publicKey))).toBe("STATE");
  });

  it("is used up by a bad key, too", async () => {
    prepare();
    const [a, b] = [await ecdh.generate(), await ecdh.generate()];
    expect(await codeOf(() => a.agree(new Uint8Array(31)))).toBe("MESSAGE");
    expect(await codeOf(() => a.agree(b.publicKey))).toBe("STATE");
  });

  it("refuses keys of another length", async () => {
    prepare();
    for (const length of [0, 1, 31, 33, 65]) {
      const key = await ecdh.generate();
      expect(await codeOf(() => key.agree(new Uint8Array(length).fill(9)))).toBe("MESSAGE");
    }
  });
});

describe("a private key", () => {
  it("is zeroed where it was wrapped for the engine, and stays as it was given", async () => {
    const imported = vi.spyOn(crypto.subtle, "importKey");
    const given = PRIVATE.slice();
    await X25519.fromPrivate(given);
    expect(toHex(imported.mock.calls[0]?.[1] as Uint8Array)).toBe("00".repeat(48));
    expect(given).toEqual(PRIVATE);
  });

  it.each([X25519, P256])("that is given cannot be exported: %#", async (ecdh) => {
    const imported = vi.spyOn(crypto.subtle, "importKey");
    await ecdh.fromPrivate(PRIVATE);
    expect(new Set(imported.mock.calls.map(([, , , extractable]) => extractable))).toEqual(new Set([false]));
  });

  it("given to the software stays as it was given, too", async () => {
    hideX25519();
    const given = PRIVATE.slice();
    const [key, peer] = [await X25519.fromPrivate(given), await X25519.generate()];
    await key.agree(peer.publicKey);
    expect(given).toEqual(PRIVATE);
  });

  it("made in software is zeroed once it has agreed", async () => {
    hideX25519();
    const drawn: Uint8Array[] = [];
    const { getRandomValues } = crypto;
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
      if (array instanceof Uint8Array) drawn.push(array);
      return Reflect.apply(getRandomValues, crypto, [array]);
    });
    const [key, peer] = [await X25519.generate(), await X25519.generate()];
    expect(drawn[0]?.some((byte) => byte !== 0)).toBe(true);
    await key.agree(peer.publicKey);
    expect(toHex(drawn[0] as Uint8Array)).toBe("00".repeat(32));
  });
});

it.each([
  ["X25519", X25519],
  ["P-256", P256],
])("an all-zero secret of %s is refused, even if the engine does not mind", async (_name, ecdh) => {
  const [a, b] = [await ecdh.generate(), await ecdh.generate()];
  vi.spyOn(crypto.subtle, "deriveBits").mockResolvedValue(new ArrayBuffer(32));
  expect(await codeOf(() => a.agree(b.publicKey))).toBe("MESSAGE");
});

it("an engine without X25519 is what the tests above had", async () => {
  hideX25519();
  await expect(crypto.subtle.generateKey("X25519", false, ["deriveBits"])).rejects.toMatchObject({
    name: "NotSupportedError",
  });
});

it.each([
  ["fresh", () => X25519.generate()],
  ["given", () => X25519.fromPrivate(PRIVATE)],
])("an engine that fails for another reason is not replaced by software: %s", async (_name, make) => {
  const broken = new DOMException("Out of entropy.", "OperationError");
  vi.spyOn(crypto.subtle, "generateKey").mockRejectedValue(broken);
  vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(broken);
  await expect(make()).rejects.toBe(broken);
});

it("both implementations of X25519 agree with each other", async () => {
  const web = await X25519.generate();
  hideX25519();
  const software = await X25519.generate();
  const secret = await software.agree(web.publicKey);
  vi.restoreAllMocks();
  expect(await web.agree(software.publicKey)).toEqual(secret);
});

// The points of small order, canonical and not, with and without the ignored top bit.
const LOW_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

describe.each([
  ["by the engine", () => {}],
  ["in software", hideX25519],
])("X25519 %s", (_name, prepare) => {
  it.each(LOW_ORDER)("refuses the point of low order %s", async (hex) => {
    prepare();
    expect(await codeOf(async () => (await X25519.generate()).agree(fromHex(hex)))).toBe("MESSAGE");
  });
});

describe.each([
  ["by the engine", () => {}],
  ["without compressed points", hideCompressedPoints],
])("P-256 %s", (_name, prepare) => {
  it.each([
    ["above the field", "ffffffff00000001000000000000000000000001000000000000000000000004"],
    ["equal to the field", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"],
    ["of all ones", "ff".repeat(32)],
    ["off the curve", "a04e73601df544a70ba7ea1e57030f7d4b4eb7f673924e58d54ca77a5e7d4d4a"],
  ])("refuses an x-coordinate %s", async (_what, hex) => {
    prepare();
    expect(await codeOf(async () => (await P256.generate()).agree(fromHex(hex)))).toBe("MESSAGE");
  });

  it("gives the secret of RFC 9529 chapter 3 from x-coordinates alone", async () => {
    prepare();
    const x = await P256.fromPrivate(
      fromHex("368ec1f69aeb659ba37d5a8d45b21bdc0299dceaa8ef235f3ca42ce3530f9525"),
    );
    const gY = fromHex("419701d7f00a26c2dc587a36dd752549f33763c893422c8ea0f955a13a4ff5d5");
    expect(toHex(await x.agree(gY))).toBe("2f0cb7e860ba538fbf5c8bded009f6259b4b628fe1eb7dbe9378e5ecf7a824ba");
  });
});
