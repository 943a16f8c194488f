import { describe, expect, it } from "vitest";
import { concat, fromHex, toHex } from "../encoding/bytes.ts";
import transcripts from "../vectors/edhoc-method0-x5chain.json" with { type: "json" };
import { readCertificate } from "./certificate.ts";
import { splitDer } from "./split-der.ts";

const refusal = expect.objectContaining({ code: "CHAIN" });

describe("splitDer", () => {
  const chain = transcripts.suite6_chain2_both.initiator_chain_der.map(fromHex);

  it("splits concatenated certificates in the order given", () => {
    const parts = splitDer(concat(...chain));
    expect(parts.map(toHex)).toEqual(chain.map(toHex));
  });

  it("gives parts that own their buffers", () => {
    const joined = concat(...chain);
    const [first] = splitDer(joined);
    joined.fill(0);
    expect(first?.[0]).toBe(0x30);
    expect(first?.buffer.byteLength).toBe(chain[0]?.length);
  });

  it.each([
    ["nothing", ""],
    ["a SET", "3100"],
    ["a certificate that ends too early", "300201"],
    ["a byte after the last", "300000"],
    ["a tag without length", "30"],
    ["an indefinite length", "30800000"],
    ["a padded length of one byte", "30817f".padEnd(6 + 254, "0")],
    ["a padded length of two bytes", "308200ff".padEnd(8 + 510, "0")],
    ["a length of three bytes", "3083010000"],
    ["a length cut off", "308201"],
    ["a long tag", "3f8100"],
  ])("refuses %s", (_, hex) => {
    expect(() => splitDer(fromHex(hex))).toThrow(refusal);
  });

  it.each([0, 1, 127, 128, 255, 256, 65_535])("reads a content of %i bytes", (length) => {
    const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
    const value = concat(Uint8Array.of(0x30, ...head), new Uint8Array(length));
    expect(splitDer(value)).toHaveLength(1);
  });
});

describe("certificates of two other implementations' transcripts", () => {
  it.each([
    ...transcripts.suite6_chain2_both.initiator_chain_der,
    ...transcripts.suite6_chain2_both.responder_chain_der,
    transcripts.suite6_chain2_both.trust_anchor_der,
  ])("are read: %s", (hex) => {
    expect(readCertificate(fromHex(hex)).spki).toHaveLength(91);
  });
});
