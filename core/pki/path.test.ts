import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension } from "@peculiar/x509";
import { beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../encoding/bytes.ts";
import { ISSUES, madeCertificate, SIGNS } from "./made-certificate.test-support.ts";
import { importKey, verifyPath } from "./path.ts";
import { CHAIN_LIMIT } from "./profiles.ts";
import { keyPair } from "./test-support.ts";

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
    const last = new BasicConstraintsExtension(true, 0, true);
    const [anchor, free, limited] = [
      await ca(2),
      await ca(3),
      await certificate(4, "Anybody", authority.publicKey, [last, ...ISSUES.slice(1)]),
    ];
    await expect(verifyPath([leaf, limited], [anchor])).resolves.toBeDefined();
    await expect(verifyPath([leaf, limited, free], [anchor])).resolves.toBeDefined();
    await expect(verifyPath([leaf, free, limited], [anchor])).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("says why a key on no curve is of no use", async () => {
    const { publicKey } = await keyPair();
    const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
    const astray = spki.with(-1, (spki.at(-1) as number) ^ 1) as Bytes;
    await expect(importKey({ spki: astray, curve: "P-256" })).rejects.toMatchObject({
      ...{ code: "CHAIN", message: "CHAIN: the public key is not on the curve" },
      cause: expect.objectContaining({ name: "DataError" }),
    });
  });
});

describe("the bits of a leaf's key usage", () => {
  const usage = async (flags: number) =>
    verifyPath(
      [await certificate(1, "Somebody", (await keyPair()).publicKey, [new KeyUsagesExtension(flags, true)])],
      [await ca(2)],
    );

  it("may be more than that of signing", async () => {
    const { leaf } = await usage(KeyUsageFlags.digitalSignature | KeyUsageFlags.encipherOnly);
    expect(leaf.keyUsage).toBe(0x81);
  });

  it("may not be others alone", async () => {
    await expect(usage(KeyUsageFlags.encipherOnly)).rejects.toMatchObject({ code: "CHAIN" });
  });
});
