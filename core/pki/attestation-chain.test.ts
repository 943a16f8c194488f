import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, fromBase64, toHex } from "../encoding/bytes.ts";
import { CborReader } from "../encoding/cbor.ts";
import vector from "../vectors/app-attest.json" with { type: "json" };
import { verifyAttestationChain } from "./chain.ts";
import { ISSUES, madeCertificate, SIGNS, usages } from "./made-certificate.test-support.ts";
import { keyPair, NOW, testPki } from "./test-support.ts";

const root = fromBase64(vector.root);
const at = new Date(vector.at);
const chain = certificatesIn(fromBase64(vector.attestation));

/** {fmt, attStmt: {x5c: [leaf, intermediate], …}, …} */
function certificatesIn(attestation: Bytes): readonly Bytes[] {
  const cbor = new CborReader(attestation);
  cbor.map();
  for (let skipped = 0; skipped < 3; skipped++) cbor.tstr();
  cbor.map();
  cbor.tstr();
  return Array.from({ length: cbor.array() }, () => cbor.bstr());
}

describe("a real phone's chain, its CAs on P-384", () => {
  it("is believed, with or without the root sent along", async () => {
    for (const sent of [chain, [...chain, root]]) {
      const { spki, publicKey, extensions } = await verifyAttestationChain(sent, [root], at);
      expect(spki).toHaveLength(91);
      expect(publicKey.usages).toEqual(["verify"]);
      expect(toHex(extensions.get("1.2.840.113635.100.8.2")?.subarray(0, 6) as Bytes)).toBe("3024a1220420");
    }
  });

  it("is refused under no root, and under another", async () => {
    const { tagCa } = await testPki();
    for (const anchors of [[], [tagCa.certificate]])
      await expect(verifyAttestationChain(chain, anchors, at)).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("is refused unread where a certificate has more than 4,096 bytes", async () => {
    const of = (length: number) => verifyAttestationChain([new Uint8Array(length)], [root], at);
    await expect(of(4_097)).rejects.toThrow("certificate too long");
    await expect(of(4_096)).rejects.not.toThrow("certificate too long");
  });

  it("is refused before and after its time", async () => {
    for (const time of ["2021-01-21", "2021-02-01", "2046-01-01"])
      await expect(verifyAttestationChain(chain, [root], new Date(time))).rejects.toMatchObject({
        code: "CRED_TIME",
      });
  });
});

describe("our own chains", () => {
  let pki: Awaited<ReturnType<typeof testPki>>;
  beforeAll(async () => {
    pki = await testPki();
  });

  it("attest nothing: they were made for sessions with tags", async () => {
    const { tagLeaf, tagCa } = pki;
    await expect(
      verifyAttestationChain([tagLeaf], [tagCa.certificate], new Date("2026-07-01")),
    ).rejects.toMatchObject({ code: "EKU" });
  });
});

describe("a platform's chain made here", () => {
  /** Root, intermediate and leaf, where the intermediate has `extra` extensions and the leaf's key is on `curve`. */
  async function made(curve: "P-256" | "P-384", extra: readonly ReturnType<typeof usages>[] = []) {
    const [root, middle, leaf] = [await keyPair(), await keyPair(), await keyPair(curve)];
    const anchor = await madeCertificate({
      ...{ serial: 1, subject: "Root", issuer: "Root", extensions: ISSUES },
      ...{ publicKey: root.publicKey, signingKey: root.privateKey },
    });
    const intermediate = await madeCertificate({
      ...{ serial: 2, subject: "Middle", issuer: "Root", extensions: [...ISSUES, ...extra] },
      ...{ publicKey: middle.publicKey, signingKey: root.privateKey },
    });
    const attested = await madeCertificate({
      ...{ serial: 3, subject: "Leaf", issuer: "Middle", extensions: [SIGNS] },
      ...{ publicKey: leaf.publicKey, signingKey: middle.privateKey },
    });
    return verifyAttestationChain([attested, intermediate], [anchor], NOW);
  }

  it("is believed", async () => {
    expect((await made("P-256")).publicKey.algorithm).toMatchObject({ namedCurve: "P-256" });
  });

  it("is refused where the attested key is on another curve", async () => {
    await expect(made("P-384")).rejects.toMatchObject({ code: "CHAIN" });
  });

  it("is refused where a CA of it is for one usage alone", async () => {
    await expect(made("P-256", [usages("1.3.6.1.5.5.7.3.2")])).rejects.toMatchObject({ code: "EKU" });
  });
});
