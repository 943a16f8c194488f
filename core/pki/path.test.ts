import { beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../encoding/bytes.ts";
import { OWN_RULES } from "./certificate.ts";
import { ISSUES, madeCertificate, SIGNS } from "./made-certificate.test-support.ts";
import { verifyPath } from "./path.ts";
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
    const { intermediates } = await verifyPath(longest, [anchor], OWN_RULES);
    expect(intermediates).toHaveLength(CHAIN_LIMIT.certificates - 1);
    await expect(verifyPath([leaf, ...others], [anchor], OWN_RULES)).rejects.toMatchObject({ code: "CHAIN" });
  });
});
