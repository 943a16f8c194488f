import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Bytes, EncodingError, fromHex, toHex } from "../encoding/bytes.ts";
import { DerError } from "../encoding/der.ts";
import vectors from "../vectors/certificates.json" with { type: "json" };
import { orRefuse, PkiError, refuse } from "./certificate.ts";
import { anchorAbove, type ChainCheck, importKey, verifyChain, verifyPath } from "./chain.ts";
import { ISSUES, ISSUES_LEAVES, keyUsage, madeCertificate, SIGNS } from "./made-certificate.test-support.ts";
import { CHAIN_LIMIT, EKU_CLIENT, EKU_TAG } from "./profiles.ts";
import { prefixFault, rootsFor } from "./tag-roots.ts";
import { keyOffTheCurve, keyPair, testPki } from "./test-support.ts";

interface Case {
  readonly role: string;
  readonly chain: readonly number[];
  readonly anchors: readonly number[];
  readonly at: string;
}

const certificates = vectors.certificates.map(fromHex);
const pick = (indices: readonly number[]): Bytes[] => indices.map((index) => certificates[index] as Bytes);

interface Received extends ChainCheck {
  readonly chain: readonly Bytes[];
  readonly at: Date;
}
function checkOf({ role, chain, anchors, at }: Case): Received {
  const eku = role === "client" ? EKU_CLIENT : EKU_TAG;
  return { chain: pick(chain), anchors: pick(anchors), eku, at: new Date(at) };
}

const named = (name: string) => checkOf(vectors.valid.find((vector) => vector.name === name) as Case);

describe("verifyChain accepts", () => {
  it.each(vectors.valid)("$name", async (vector) => {
    const leaf = await verifyChain(checkOf(vector));
    expect(toHex(leaf.spki)).toBe(vector.spki);
    expect(leaf.subjectSerialNumber).toBe(vector.subjectSerialNumber ?? undefined);
  });

  it("an anchor sent along, whichever of those that are pinned it is", async () => {
    const check = named("a client chain with the root sent along");
    const anchors = [...check.anchors, ...named("a tag leaf alone").anchors];
    await expect(verifyChain({ ...check, anchors })).resolves.toBeDefined();
  });

  it("a chain whose time is over, where there is no clock", async () => {
    const { at: _, ...check } = named("a client leaf and its intermediate");
    await expect(verifyChain(check)).resolves.toBeDefined();
    await expect(verifyChain({ ...check, at: new Date("2030-01-01") })).rejects.toMatchObject({
      code: "CRED_TIME",
    });
  });
});

describe("verifyChain refuses", () => {
  it.each(vectors.refused)("$name: $code", async (vector) => {
    await expect(verifyChain(checkOf(vector))).rejects.toMatchObject({ name: "SecError", code: vector.code });
  });

  it("a leaf with any one byte changed, and its intermediate likewise", async () => {
    const check = named("a client leaf and its intermediate");
    for (const [index, original] of check.chain.entries()) {
      for (let at = 0; at < original.length; at++) {
        const changed = original.slice();
        changed[at] = (changed[at] as number) ^ (1 << (at % 8));
        const verification = verifyChain({ ...check, chain: check.chain.with(index, changed) });
        await expect(verification, `certificate ${index} byte ${at}`).rejects.toMatchObject({
          code: "CHAIN",
        });
      }
    }
  });

  it("every beginning of a certificate", async () => {
    const check = named("a tag leaf alone");
    const leaf = check.chain[0] as Bytes;
    for (let length = 0; length < leaf.length; length += 1) {
      const verification = verifyChain({ ...check, chain: [leaf.slice(0, length)] });
      await expect(verification, `${length} bytes`).rejects.toMatchObject({ code: "CHAIN" });
    }
  });

  it("a role's usage that lies about time before it looks at time", async () => {
    const check = named("a client leaf and its intermediate");
    const verification = verifyChain({ ...check, eku: EKU_TAG, at: new Date("2040-01-01") });
    await expect(verification).rejects.toMatchObject({ code: "EKU" });
  });
});

describe("a verified leaf", () => {
  it("has a key that verifies and can be exported", async () => {
    const { publicKey, spki } = await verifyChain(named("a tag leaf alone"));
    expect(publicKey.usages).toEqual(["verify"]);
    expect(toHex(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)))).toBe(toHex(spki));
  });

  it("knows its validity and serial number", async () => {
    const tag = await verifyChain(named("a tag leaf alone"));
    expect(tag.notBefore.toISOString()).toBe("2026-05-31T12:00:00.000Z");
    expect(tag.notAfter.toISOString()).toBe("9999-12-31T23:59:59.000Z");
    expect(tag.serial).toMatch(/^[1-9a-f][0-9a-f]*$/);
  });
});

/** CAs of one name and one key, each of which may have issued every other. */
let authority: CryptoKeyPair;
let leaf: Bytes;

const certificate = (serial: number, subject: string, publicKey: CryptoKey, extensions: typeof ISSUES) =>
  madeCertificate({
    ...{ serial, subject, publicKey, extensions },
    issuer: "Anybody",
    signingKey: authority.privateKey,
  });
const ca = (serial: number) => certificate(serial, "Anybody", authority.publicKey, ISSUES);

beforeAll(async () => {
  authority = await keyPair();
  leaf = await certificate(1, "Subject", (await keyPair()).publicKey, [SIGNS]);
});

describe("a path whose every link holds", () => {
  it(`is accepted with ${CHAIN_LIMIT.certificates} certificates, and refused with one more`, async () => {
    const [anchor, ...others] = [await ca(2), await ca(3), await ca(4), await ca(5)] as const;
    const longest = [leaf, ...others.slice(0, CHAIN_LIMIT.certificates - 1)];
    const { intermediates } = await verifyPath(longest, [anchor]);
    expect(intermediates).toHaveLength(CHAIN_LIMIT.certificates - 1);
    await expect(verifyPath([leaf, ...others], [anchor])).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("is refused where a CA is below one that allows none", async () => {
    const [anchor, free, limited] = [
      await ca(2),
      await ca(3),
      await certificate(4, "Anybody", authority.publicKey, ISSUES_LEAVES),
    ];
    await expect(verifyPath([leaf, limited], [anchor])).resolves.toBeDefined();
    await expect(verifyPath([leaf, limited, free], [anchor])).resolves.toBeDefined();
    await expect(verifyPath([leaf, free, limited], [anchor])).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("says why a key on no curve is of no use", async () => {
    await expect(importKey({ spki: await keyOffTheCurve(), curve: "P-256" })).rejects.toMatchObject({
      ...{ code: "CHAIN", message: "CHAIN: the public key is not on the curve" },
      cause: expect.objectContaining({ name: "DataError" }),
    });
  });
});

describe("the bits of a leaf's key usage", () => {
  const usage = async (...names: ("digitalSignature" | "encipherOnly")[]) =>
    verifyPath(
      [await certificate(1, "Subject", (await keyPair()).publicKey, [keyUsage(...names)])],
      [await ca(2)],
    );

  it("may be more than that of signing", async () => {
    const { leaf } = await usage("digitalSignature", "encipherOnly");
    expect(leaf.keyUsage).toBe(0x81);
  });

  it("may not be others alone", async () => {
    await expect(usage("encipherOnly")).rejects.toMatchObject({ code: "CHAIN" });
  });
});

it("finds the anchor above a chain among others", async () => {
  const { root, intermediate, clientLeaf, tagCa, tagLeaf } = await testPki();
  const anchors = [tagCa.certificate, root.certificate];
  const client = [clientLeaf, intermediate.certificate];
  expect(await anchorAbove(client, anchors, EKU_CLIENT)).toBe(root.certificate);
  expect(await anchorAbove([tagLeaf], anchors, EKU_TAG)).toBe(tagCa.certificate);
});

it("refuses a chain that none of them is above", async () => {
  const { root, tagLeaf } = await testPki();
  await expect(anchorAbove([tagLeaf], [root.certificate], EKU_TAG)).rejects.toMatchObject({ code: "CHAIN" });
  await expect(anchorAbove([tagLeaf], [], EKU_TAG)).rejects.toMatchObject({ code: "CHAIN" });
});

it("does not take a failing engine for a chain that is refused", async () => {
  const { root, intermediate, clientLeaf } = await testPki();
  const broken = vi.spyOn(crypto.subtle, "verify").mockRejectedValue(new TypeError("engine"));
  try {
    const found = anchorAbove([clientLeaf, intermediate.certificate], [root.certificate], EKU_CLIENT);
    await expect(found).rejects.toThrow(TypeError);
  } finally {
    broken.mockRestore();
  }
});

function thrown(by: () => unknown): unknown {
  try {
    by();
  } catch (error) {
    return error;
  }
  return undefined;
}

it("a refusal says CHAIN, why, and what it comes from", () => {
  const cause = new TypeError();
  const refusal = thrown(() => refuse("no leaf", cause));
  expect(refusal).toBeInstanceOf(PkiError);
  expect(refusal).toMatchObject({ code: "CHAIN", message: "CHAIN: no leaf", cause });
});

it.each([new DerError("padded length"), new EncodingError("utf8")])("%s is a refusal", (cause) => {
  const refusal = thrown(() =>
    orRefuse(() => {
      throw cause;
    }),
  );
  expect(refusal).toMatchObject({ code: "CHAIN", message: `CHAIN: ${cause.message}`, cause });
});

it("a mistake of ours is not", () => {
  const mistake = new TypeError();
  expect(
    thrown(() =>
      orRefuse(() => {
        throw mistake;
      }),
    ),
  ).toBe(mistake);
});

const [ACME, GLOBEX] = [new Uint8Array([1]), new Uint8Array([2])];
const roots = [ACME, GLOBEX];
const prefixes = [["Acme-", "AX"], ["globex-"]];

it.each([
  ["acme-0001", [ACME]],
  [" ACME-0001 ", [ACME]],
  ["ax7", [ACME]],
  ["globex-1", [GLOBEX]],
  ["acm", []],
  ["xacme-1", []],
])("finds the roots that may name %s", (id, expected) => {
  expect(rootsFor(roots, prefixes, id)).toEqual(expected);
});

it("lets every root name every id where there are no lists", () => {
  expect(rootsFor([ACME], undefined, "anything")).toEqual([ACME]);
});

it.each([
  ["one root without a list", 1, undefined, undefined],
  ["no root", 0, undefined, undefined],
  ["lists without a common id", 2, prefixes, undefined],
  ["two roots without lists", 2, undefined, /no list/],
  ["a list too few", 2, [["a"]], /one list/],
  ["an empty list", 2, [["a"], []], /one list/],
  ["the same prefix twice", 2, [["a-"], ["A-"]], /two tag CAs/],
  ["a prefix of another's prefix", 2, [["acme-1"], ["b", "acme"]], /two tag CAs/],
  ["a root of all ids beside another", 2, [[""], ["b"]], /two tag CAs/],
])("checks %s", (_name, count, lists, fault) => {
  const found = prefixFault(count, lists);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
