import { describe, expect, it } from "vitest";
import { type Bytes, concat, fromHex } from "../../core/encoding/bytes.ts";
import { DER_TAG, DerError, onlyValue, type Tlv, valuesOf } from "../../core/encoding/der.ts";
import { madeCertificate } from "../../core/pki/made-certificate.test-support.ts";
import { keyOffTheCurve, keyPair } from "../../core/pki/test-support.ts";
import vectors from "../../core/vectors/edhoc-method0-x5chain.json" with { type: "json" };
import { verifyChainSignatures } from "./chain-signatures.ts";
import { foreignChain } from "./test-support/foreign-chain.ts";

const published = vectors.suite6_chain2_both;
const client = published.initiator_chain_der.map(fromHex);
const tag = published.responder_chain_der.map(fromHex);
const root = fromHex(published.trust_anchor_der);
const tagCa = fromHex(published.tag_ca_der);
const flippedLast = (der: Bytes) => der.with(-1, (der.at(-1) as number) ^ 1) as Bytes;

describe("a chain without our profile", () => {
  it.each([
    ["of a client, to the root", client, [root]],
    ["of a tag, to its CA, which is sent along", tag, [tagCa]],
    ["of a tag, to the root above its CA", tag, [root]],
    ["of a tag's leaf alone, to its CA", tag.slice(0, 1), [tagCa]],
    ["with another anchor beside the right one", tag, [tagCa, root]],
  ])("is accepted: %s", async (_, chain, anchors) => {
    const { publicKey } = await verifyChainSignatures(chain, anchors);
    expect(publicKey.algorithm).toMatchObject({ name: "ECDSA", namedCurve: "P-256" });
    expect(publicKey.usages).toEqual(["verify"]);
  });

  it.each([
    ["ES256", 1],
    ["ES256", 2],
    ["Ed25519", 1],
    ["Ed25519", 2],
    ["ES384", 2],
  ] as const)(
    "is accepted with %s, %i certificates, expired and without extensions",
    async (name, length) => {
      const { chain, anchor } = await foreignChain(name, length);
      await expect(verifyChainSignatures(chain, [anchor])).resolves.toBeDefined();
    },
  );

  const noAnchor = (place: number) => `certificate ${place} is not, and was not issued by, a trust anchor`;
  const NO_ISSUER = "certificate 0 was not issued by certificate 1";
  const NOT_ONE = "certificate 0 is not exactly one certificate";
  const [leaf, ...above] = client as [Bytes, ...Bytes[]];

  it.each<[string, readonly Bytes[], readonly Bytes[], string]>([
    ["empty", [], [root], "the chain is empty"],
    ["without any anchor", client, [], noAnchor(1)],
    ["below another root", client, [tagCa], noAnchor(1)],
    ["without its intermediate", [leaf], [root], noAnchor(0)],
    ["in the order of endpoint 7", client.toReversed(), [root], NO_ISSUER],
    ["with a leaf whose signature has another bit", [flippedLast(leaf), ...above], [root], NO_ISSUER],
    ["with a byte behind the leaf", [concat(leaf, Uint8Array.of(0)), ...above], [root], NOT_ONE],
    ["with something else than a certificate", [Uint8Array.of(0x30, 0)], [root], NOT_ONE],
    [
      "below an anchor that is none",
      client,
      [Uint8Array.of(1)],
      "a trust anchor is not exactly one certificate",
    ],
  ])("is refused as CHAIN: %s", async (_, chain, anchors, why) => {
    await expect(verifyChainSignatures(chain, anchors)).rejects.toMatchObject({
      ...{ code: "CHAIN", message: `CHAIN: ${why}` },
    });
  });

  it("is refused below a CA of the right name with another key", async () => {
    const [honest, impostor] = [await foreignChain("ES256", 1), await foreignChain("ES256", 1)];
    await expect(verifyChainSignatures(honest.chain, [impostor.anchor])).rejects.toMatchObject({
      code: "CHAIN",
    });
  });
});

it("a leaf is refused whose key no engine takes", async () => {
  const root = await keyPair();
  const made = async (serial: number, subject: string, publicKey: CryptoKey | Bytes) =>
    madeCertificate({
      ...{ serial, subject, issuer: "Root", publicKey, signingKey: root.privateKey, extensions: [] },
    });
  const anchor = await made(1, "Root", root.publicKey);
  const leaf = await made(2, "Leaf", await keyOffTheCurve());
  await expect(verifyChainSignatures([leaf], [anchor])).rejects.toMatchObject({
    ...{ code: "CHAIN", message: "CHAIN: the key of certificate 0 is of no use here" },
    cause: expect.any(Error),
  });
});

it("a leaf is refused whose signature is no pair of numbers", async () => {
  const [leaf, ...above] = client as [Bytes, ...Bytes[]];
  const [, , signature] = valuesOf(onlyValue(leaf));
  const start = leaf.length - (signature as Tlv).content.length + 1;
  const malformed = leaf.with(start, DER_TAG.SET) as Bytes;
  await expect(verifyChainSignatures([malformed, ...above], [root])).rejects.toMatchObject({
    ...{ code: "CHAIN", message: "CHAIN: a signature cannot be checked" },
    cause: expect.any(Error),
  });
});

it("says what is wrong with a certificate that is none", async () => {
  const refused = verifyChainSignatures([fromHex("31")], [root]);
  await expect(refused).rejects.toMatchObject({ cause: expect.any(DerError) });
});

it("a chain whose leaf names another issuer than the one whose key signed it is refused", async () => {
  const [issuer, subject] = [await keyPair(), await keyPair()];
  const made = (serial: number, name: string, issuerName: string, publicKey: CryptoKey) =>
    madeCertificate({
      ...{ serial, subject: name, issuer: issuerName, publicKey },
      ...{ signingKey: issuer.privateKey, extensions: [] },
    });
  const anchor = await made(1, "Root", "Root", issuer.publicKey);
  const honest = await made(2, "Leaf", "Root", subject.publicKey);
  const stranger = await made(3, "Leaf", "Another root", subject.publicKey);
  await expect(verifyChainSignatures([honest], [anchor])).resolves.toBeDefined();
  await expect(verifyChainSignatures([stranger], [anchor])).rejects.toMatchObject({ code: "CHAIN" });
});
