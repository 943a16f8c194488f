/** A handshake between our own two roles, recorded as the file that sec:verify reads. */
import { toHex } from "../../../core/encoding/bytes.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../../core/sec/initiator.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "../../../core/sec/responder.ts";
import { SUITES, type SuiteId } from "../../../core/sec/suites.ts";
import { recorder, transcriptOf } from "../../../core/vectors/transcript.ts";
import { verifyChainSignatures } from "../chain-signatures.ts";
import type { RecordedTranscript } from "../transcript-file.ts";
import { foreignChain } from "./foreign-chain.ts";

/** Both ephemeral keys are in it; suite 0 has Ed25519 certificates, all others P-256. */
export async function recordedHandshake(suite: SuiteId, tagCertificates: 1 | 2): Promise<RecordedTranscript> {
  const algorithm = suite === 0 ? "Ed25519" : "ES256";
  const client = await foreignChain(algorithm, 2, "client");
  const tag = await foreignChain(algorithm, tagCertificates, "tag");
  const { trace, values } = recorder();
  const ephemeral = () => SUITES[suite].ecdh.fromPrivate(crypto.getRandomValues(new Uint8Array(32)));
  const initiator = {
    credential: client,
    verifyPeer: (chain: typeof tag.chain) => verifyChainSignatures(chain, [tag.anchor]),
    suites: [suite],
    trace,
  };
  const responder = {
    credential: tag,
    verifyPeer: (chain: typeof client.chain) => verifyChainSignatures(chain, [client.anchor]),
    suites: [suite],
    trace,
  };
  const first = await writeMessage1(initiator, await ephemeral());
  const second = await writeMessage2(await readMessage1(responder, first.message), await ephemeral());
  const third = await writeMessage3((await readMessage2(first.state, second.message)).state);
  const fourth = await writeMessage4((await readMessage3(second.state, third.message)).state);
  await readMessage4(third.state, fourth.message);
  return {
    ...transcriptOf(values),
    trust_anchor_der: toHex(client.anchor),
    tag_ca_der: toHex(tag.anchor),
  };
}
