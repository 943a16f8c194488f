/** What both roles do alike: claim their own credential, judge the peer's, and turn PRK_4e3m into a session. */
import { type Bytes, equalBytes } from "../encoding/bytes.ts";
import type { Credential, Peer, VerificationOnly, VerifyPeer } from "./credential.ts";
import { SecError } from "./errors.ts";
import { type Authentication, encodeX5chain } from "./messages.ts";
import { wipe } from "./once.ts";
import { type Claim, outputKeys, toBeSigned } from "./schedule.ts";
import { Session } from "./session.ts";
import type { Suite } from "./suites.ts";
import type { Trace } from "./trace.ts";

/** The part of either role's configuration that is needed here. */
export interface Authenticator<P extends Peer> {
  readonly credential: Credential;
  readonly verifyPeer: VerifyPeer<P>;
  readonly trace?: Trace;
  readonly verificationOnly?: VerificationOnly;
}

/** A peer whose credential was judged; its signature was not yet. */
export interface JudgedPeer<P extends Peer> {
  readonly peer: P;
  readonly chain: readonly Bytes[];
  readonly leaf: Bytes;
}

/** Our own claim under a transcript hash; we send no external authorization data. */
export function ownClaim<P extends Peer>(config: Authenticator<P>, th: Bytes): Claim {
  const cred = leafOf(config.credential.chain);
  const idCred = config.verificationOnly?.idCred ?? encodeX5chain(config.credential.chain);
  return { idCred, cred, ead: new Uint8Array(), th };
}

/** Signature_2 or Signature_3 of our own claim. */
export async function signClaim(
  suite: Suite,
  credential: Credential,
  claim: Claim,
  mac: Bytes,
): Promise<Bytes> {
  const data = toBeSigned(claim, mac);
  return "sign" in credential ? credential.sign(data) : suite.signature.sign(credential.privateKey, data);
}

/** The peer behind ID_CRED_x: `CREDENTIAL` if unknown, `AUTH_FAIL` if it is ourselves, else what `verifyPeer` says. */
export async function judgePeer<P extends Peer>(
  config: Authenticator<P>,
  { idCred, chain: received }: Authentication,
): Promise<JudgedPeer<P>> {
  const chain = received ?? config.verificationOnly?.resolve(idCred);
  if (chain === undefined) throw new SecError("CREDENTIAL", { message: "credential by reference" });
  const leaf = leafOf(chain);
  // Whoever presents our own certificate is a mirror, whatever else it can do (RFC 9528 §9.4).
  if (equalBytes(leaf, leafOf(config.credential.chain)))
    throw new SecError("AUTH_FAIL", { message: "reflection" });
  return { peer: await judged(config.verifyPeer, chain), chain, leaf };
}

async function judged<P extends Peer>(verifyPeer: VerifyPeer<P>, chain: readonly Bytes[]): Promise<P> {
  try {
    return await verifyPeer(chain);
  } catch (cause) {
    throw cause instanceof SecError ? cause : new SecError("CHAIN", { cause });
  }
}

/** Checks Signature_2 or Signature_3; `AUTH_FAIL` if it is wrong. */
export async function checkSignature(
  suite: Suite,
  peer: Peer,
  claim: Claim,
  mac: Bytes,
  signature: Bytes,
): Promise<void> {
  const good = await suite.signature.verify(peer.publicKey, signature, toBeSigned(claim, mac));
  if (!good) throw new SecError("AUTH_FAIL", { message: "signature" });
}

/** What both sides keep after message_3: enough for message_4 and the exporter. */
export interface Agreed<P extends Peer> {
  readonly suite: Suite;
  readonly prk: Bytes;
  readonly th4: Bytes;
  readonly peer: P;
  readonly peerChain: readonly Bytes[];
  readonly trace: Trace | undefined;
}

/** The session behind message_4. Forgets everything the session does not need. */
export async function establish<P extends Peer>(agreed: Agreed<P>): Promise<Session<P>> {
  const { suite, prk, th4, peer, peerChain, trace } = agreed;
  const { prkOut, prkExporter } = await outputKeys(suite, prk, th4);
  trace?.("PRK_out", prkOut.slice());
  trace?.("PRK_exporter", prkExporter.slice());
  wipe(prk, prkOut);
  return new Session(suite, peer, peerChain, prkExporter);
}

/** Runs a step that holds a secret, and zeroes the secret if the step fails. */
export async function guarding<Result>(secret: Bytes, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    wipe(secret);
    throw error;
  }
}

function leafOf(chain: readonly Bytes[]): Bytes {
  const [leaf] = chain;
  if (leaf === undefined) throw new SecError("CHAIN", { message: "empty chain" });
  return leaf;
}
