import { describe, expect, it } from "vitest";
import type { Bytes } from "../encoding/bytes.ts";
import { SUITES, type SuiteId } from "../sec/suites.ts";
import {
  codeOf,
  handshakeOf,
  initiatorConfig,
  publicKeyOf,
  responderConfig,
  TRANSCRIPTS,
} from "../sec/test-support/parties.ts";
import { type Role, recorder, type Transcript, transcriptOf, verifyTranscript } from "./transcript.ts";

const verifyChain = async (_side: Role, chain: readonly Bytes[]) => ({
  publicKey: await publicKeyOf(chain[0] as Bytes),
});

const NOT_COMPARED = { initiator: ["Y_priv"], responder: ["X_priv"] };

describe.each(Object.entries(TRANSCRIPTS))("the transcript %s", (_name, transcript) => {
  it("agrees in every value, as initiator and as responder", async () => {
    const values = Object.keys(transcript.values).length;
    const expected = 2 * values - NOT_COMPARED.initiator.length - NOT_COMPARED.responder.length;
    expect(await verifyTranscript(transcript, verifyChain)).toEqual({ ok: true, compared: expected });
  });

  it("has the message sizes of the design", () => {
    const lengths = Object.keys(transcript.sizes).map((name) => {
      const hex = (transcript.values as Record<string, string>)[name] ?? "";
      return [name, hex.length / 2];
    });
    expect(Object.fromEntries(lengths)).toEqual({
      message_1: 37,
      message_2: 923,
      message_3: 912,
      message_4: 17,
    });
  });

  it.each(Object.keys(transcript.values))("is refused when %s differs in one digit", async (name) => {
    const report = await verifyTranscript(spoiled(transcript, name), verifyChain);
    expect(report.ok).toBe(false);
  });

  it.each([
    ...["message_1", "TH_1", "G_Y", "G_XY", "TH_2", "PRK_2e", "MAC_2", "TH_3", "MAC_3", "TH_4", "PRK_out"],
  ])("names %s where that is the first value that differs", async (name) => {
    const report = await verifyTranscript(spoiled(transcript, name), verifyChain);
    expect(report).toMatchObject({ ok: false, value: name });
  });

  it("can be verified with either ephemeral key alone", async () => {
    for (const missing of ["X_priv", "Y_priv"]) {
      const report = await verifyTranscript(without(transcript, missing), verifyChain);
      expect(report).toMatchObject({ ok: true });
    }
  });

  it("is refused without any ephemeral key", async () => {
    const report = await verifyTranscript(without(without(transcript, "X_priv"), "Y_priv"), verifyChain);
    expect(report).toMatchObject({ ok: false, value: "X_priv" });
  });
});

describe("a transcript", () => {
  it("of another method is refused", async () => {
    const report = await verifyTranscript({ ...TRANSCRIPTS.suite6_chain2_both, method: 3 }, verifyChain);
    expect(report).toMatchObject({ ok: false, value: "message_1", reason: "MESSAGE: method" });
  });

  it("with a value that no handshake has is refused", async () => {
    const transcript = withValues(TRANSCRIPTS.suite6_chain2_both, { TH_5: "00" });
    expect(await verifyTranscript(transcript, verifyChain)).toMatchObject({ ok: false, value: "TH_5" });
  });

  it("whose suite is not the last one offered is refused", async () => {
    const report = await verifyTranscript(
      { ...TRANSCRIPTS.suite6_chain2_both, suites_offered: [6, 3] },
      verifyChain,
    );
    expect(report).toMatchObject({ ok: false, reason: expect.stringContaining("not the selected one") });
  });

  it("with bytes that are no hexadecimal is refused", async () => {
    const transcript = withValues(TRANSCRIPTS.suite6_chain2_both, { message_2: "5x" });
    expect((await verifyTranscript(transcript, verifyChain)).ok).toBe(false);
  });

  it("whose chain is not vouched for is refused", async () => {
    const refusing = () => Promise.reject(new Error("not ours"));
    const report = await verifyTranscript(TRANSCRIPTS.suite6_chain2_both, refusing);
    expect(report).toMatchObject({ ok: false, reason: "not ours" });
  });

  it("of an unknown suite is refused", async () => {
    const report = await verifyTranscript({ ...TRANSCRIPTS.suite6_chain2_both, suite: 25 }, verifyChain);
    expect(report).toMatchObject({ ok: false, reason: expect.stringContaining("suite 25 is unknown") });
  });

  it.each<[SuiteId, "initiator" | "responder"]>([
    [6, "initiator"],
    [6, "responder"],
    [3, "initiator"],
    [3, "responder"],
  ])("recorded in suite %i by the %s alone verifies", async (suite, side) => {
    const { trace, values } = recorder();
    const { ecdh } = SUITES[suite];
    const own = await ecdh.fromPrivate(new Uint8Array(32).fill(7));
    const initiator = await initiatorConfig([suite]);
    const responder = await responderConfig([suite]);
    if (side === "initiator") await handshakeOf({ ...initiator, trace }, responder, { x: own });
    else await handshakeOf(initiator, { ...responder, trace }, { y: own });
    const report = await verifyTranscript(transcriptOf(values), verifyChain);
    expect(report).toEqual({ ok: true, compared: Object.keys(values).length });
  });

  it("of the published values describes itself as its file does", () => {
    for (const { values, ...file } of Object.values(TRANSCRIPTS)) {
      const { method, suite, suites_offered, C_I, C_R, initiator_chain_der, responder_chain_der } = file;
      const description = {
        method,
        suite,
        suites_offered,
        C_I,
        C_R,
        initiator_chain_der,
        responder_chain_der,
      };
      expect(transcriptOf(values)).toEqual({ ...description, values });
    }
  });

  it("cannot be made of an unfinished handshake", async () => {
    const { PLAINTEXT_3: _gone, ...values } = TRANSCRIPTS.suite6_chain2_both.values;
    expect(await codeOf(() => transcriptOf(values))).toBe("MESSAGE");
  });

  it("is collected under the names that a file has", () => {
    const { trace, values } = recorder();
    trace("TH_1", Uint8Array.of(1, 0xab));
    expect(values).toEqual({ TH_1: "01ab" });
  });
});

function spoiled(transcript: Transcript, name: string): Transcript {
  const hex = transcript.values[name] ?? "";
  const middle = hex.length >> 1;
  const digit = hex[middle] === "0" ? "1" : "0";
  return withValues(transcript, { [name]: hex.slice(0, middle) + digit + hex.slice(middle + 1) });
}

function without(transcript: Transcript, name: string): Transcript {
  const { [name]: _gone, ...values } = transcript.values;
  return { ...transcript, values };
}

function withValues(transcript: Transcript, values: Record<string, string>): Transcript {
  return { ...transcript, values: { ...transcript.values, ...values } };
}
