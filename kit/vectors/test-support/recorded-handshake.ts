/** A handshake between our own two roles, recorded as the file that sec:verify reads. */
import { toHex } from "../../../core/encoding/bytes.ts";
import { SUITES, type SuiteId } from "../../../core/sec/suites.ts";
import { handshakeOf } from "../../../core/sec/test-support/parties.ts";
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
  await handshakeOf(initiator, responder, { x: await ephemeral(), y: await ephemeral() });
  return {
    ...transcriptOf(values),
    trust_anchor_der: toHex(client.anchor),
    tag_ca_der: toHex(tag.anchor),
  };
}
