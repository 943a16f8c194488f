import { beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../encoding/bytes.ts";
import { ISSUES, ISSUES_LEAVES, keyUsage, madeCertificate, SIGNS } from "./made-certificate.test-support.ts";
import { importKey, verifyPath } from "./path.ts";
import { CHAIN_LIMIT } from "./profiles.ts";
import { keyOffTheCurve, keyPair } from "./test-support.ts";

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
  leaf = await certificate(1, "Somebody", (await keyPair()).publicKey, [SIGNS]);
});

describe("a path whose every link holds", () => {
  it(`is accepted with ${CHAIN_LIMIT.certificates} certificates, and refused with one more`, async () => {
    const [anchor, ...others] = [await ca(2), await ca(3), await ca(4), await ca(5)] as const;
    const longest = [leaf, ...others.slice(0, CHAIN_LIMIT.certificates - 1)];
    const { intermediates } = await verifyPath(longest, [anchor]);
    expect(intermediates).toHaveLength(CHAIN_LIMIT.certificates - 1);
    await expect(verifyPath([leaf, ...others], [anchor])).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("is refused where a CA stands below one that allows none", async () => {
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
      [await certificate(1, "Somebody", (await keyPair()).publicKey, [keyUsage(...names)])],
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
