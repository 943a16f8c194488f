/**
 * What both roles do alike: take each step once, claim their own credential, verify the peer's, and turn PRK_4e3m into a
 * session.
 */
import { type Bytes, equalBytes, wipe } from "../encoding/bytes.ts";
import { SecError } from "./errors.ts";
import { type Authentication, encodeX5chain } from "./messages.ts";
import { type Claim, edhocKdf, outputKeys, toBeSigned } from "./schedule.ts";
import type { Suite } from "./suites.ts";

/**
 * A step of the handshake that can be taken once. The caller that goes on takes the contents out *before* the first
 * `await`, so a failure, a second call or a parallel call finds nothing: aborted is the default.
 */
export class Once<Step extends string, Contents extends object> {
  readonly step: Step;
  #contents: Contents | undefined;

  constructor(step: Step, contents: Contents) {
    this.step = step;
    this.#contents = contents;
  }

  /** The contents, for the first caller; throws `STATE` for every later one. */
  take(): Contents {
    const contents = this.#contents;
    this.#contents = undefined;
    if (contents === undefined) throw new SecError("STATE", { message: `${this.step} was already left` });
    return contents;
  }

  /** Gives the step up: zeroes every byte string in it and forgets the rest. Idempotent. */
  discard(): void {
    const contents = this.#contents;
    this.#contents = undefined;
    if (contents !== undefined) wipe(...Object.values(contents));
  }
}

/** The part of either role's configuration that is needed here. */
export interface Authenticator<P extends Peer> {
  readonly credential: Credential;
  readonly verifyPeer: VerifyPeer<P>;
  readonly trace?: Trace;
  readonly verificationOnly?: VerificationOnly;
}

/** A peer whose credential was accepted; its signature is not verified yet. */
export interface AcceptedPeer<P extends Peer> {
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
export async function acceptPeer<P extends Peer>(
  config: Authenticator<P>,
  { idCred, chain: received }: Authentication,
): Promise<AcceptedPeer<P>> {
  const chain = received ?? config.verificationOnly?.resolve(idCred);
  if (chain === undefined) throw new SecError("CREDENTIAL", { message: "credential by reference" });
  const leaf = leafOf(chain);
  // A peer that presents our own certificate is a mirror, whatever else it can do (RFC 9528 §9.4).
  if (equalBytes(leaf, leafOf(config.credential.chain)))
    throw new SecError("AUTH_FAIL", { message: "reflection" });
  return { peer: await accepted(config.verifyPeer, chain), chain, leaf };
}

async function accepted<P extends Peer>(verifyPeer: VerifyPeer<P>, chain: readonly Bytes[]): Promise<P> {
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

/** What both sides hold after message_4: the verified peer and the exporter. Nothing else survives the handshake. */
export class EdhocSession<P extends Peer = Peer> {
  readonly suite: Suite;
  /** What the caller's `verifyPeer` resolved with. */
  readonly peer: P;
  /** The peer's chain as received, leaf first. */
  readonly peerChain: readonly Bytes[];
  #exporterKey: Bytes | undefined;

  constructor(suite: Suite, peer: P, peerChain: readonly Bytes[], exporterKey: Bytes) {
    this.suite = suite;
    this.peer = peer;
    this.peerChain = peerChain;
    this.#exporterKey = exporterKey;
  }

  /**
   * EDHOC_Exporter (RFC 9528 §4.2.1) with an empty context, the only one that every EDHOC library offers: `length` bytes
   * for a label. `STATE` once destroyed.
   */
  async export(label: number, length: number): Promise<Bytes> {
    if (this.#exporterKey === undefined) throw new SecError("STATE", { message: "the session has ended" });
    return edhocKdf(this.suite, this.#exporterKey, label, new Uint8Array(), length);
  }

  /**
   * Hands the exporter over to its one user and ends this session object, so that two channels can never start
   * with the same keys and counters. `STATE` the second time.
   */
  detach(): EdhocSession<P> {
    const key = this.#exporterKey;
    this.#exporterKey = undefined;
    if (key === undefined) throw new SecError("STATE", { message: "the session has ended" });
    return new EdhocSession(this.suite, this.peer, this.peerChain, key);
  }

  /** Forgets the keys. Idempotent. */
  destroy(): void {
    wipe(this.#exporterKey);
    this.#exporterKey = undefined;
  }
}

/** The session behind message_4. Forgets everything the session does not need. */
export async function establish<P extends Peer>(agreed: Agreed<P>): Promise<EdhocSession<P>> {
  const { suite, prk, th4, peer, peerChain, trace } = agreed;
  const { prkOut, prkExporter } = await outputKeys(suite, prk, th4);
  trace?.("PRK_out", prkOut);
  trace?.("PRK_exporter", prkExporter);
  wipe(prk, prkOut);
  return new EdhocSession(suite, peer, peerChain, prkExporter);
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

/** `config` with a trace that gives copies: it can change a value without an effect here, and wiping here has no effect on it. */
export function tracingCopies<C extends { readonly trace?: Trace }>(config: C): C {
  const { trace } = config;
  return trace === undefined ? config : { ...config, trace: (name, value) => trace(name, value.slice()) };
}

/**
 * Who a side is and how it verifies the other. core/sec knows nothing of PKI: certificates are byte strings here,
 * and whether a chain is good is decided by the function the caller passes in.
 */

/**
 * One side's own credential: certificates as DER, **leaf first** (endpoint 7 delivers them in the other order), and
 * the leaf's private key. `sign` instead of a key serves a secure element, or the replay of a recorded signature;
 * it returns a raw signature (r‖s, 64 bytes).
 */
export type Credential =
  | { readonly chain: readonly Bytes[]; readonly privateKey: CryptoKey }
  | {
      readonly chain: readonly Bytes[];
      readonly sign: (toBeSigned: Bytes) => Promise<Bytes>;
    };

/** The least a verified peer has. Callers add what they need later (SPKI, validity, serial number). */
export interface Peer {
  readonly publicKey: CryptoKey;
}

/**
 * Verifies the peer's chain (DER, leaf first, 1–3 certificates, as received). Resolves with the leaf's public key, or
 * rejects: a `SecError` (`CHAIN`, `EKU`, `CRED_TIME`, `IDENTITY`) is passed on, anything else becomes `CHAIN`.
 */
export type VerifyPeer<P extends Peer> = (chain: readonly Bytes[]) => Promise<P>;

/**
 * What only a verification of foreign traces may do: name credentials by a reference, as the traces of RFC 9529
 * chapter 2 do. Absent in production, where only `x5chain` exists.
 */
export interface VerificationOnly {
  /** Our ID_CRED_x, a CBOR map as it travels, in place of `x5chain`. */
  readonly idCred: Bytes;
  /** The peer's chain for its ID_CRED_x (CBOR as received), or undefined when it is unknown. */
  readonly resolve: (idCred: Bytes) => readonly Bytes[] | undefined;
}

/** Values of a handshake in the order they come about, named as transcripts name them. */
export type TraceName =
  | "X_priv"
  | "message_1"
  | "TH_1"
  | "Y_priv"
  | "G_Y"
  | "G_XY"
  | "TH_2"
  | "PRK_2e"
  | "PRK_3e2m"
  | "MAC_2"
  | "Signature_or_MAC_2"
  | "PLAINTEXT_2"
  | "message_2"
  | "TH_3"
  | "PRK_4e3m"
  | "MAC_3"
  | "Signature_or_MAC_3"
  | "PLAINTEXT_3"
  | "CIPHERTEXT_3"
  | "message_3"
  | "TH_4"
  | "message_4"
  | "PRK_out"
  | "PRK_exporter";

/**
 * Receives copies of every intermediate value, secrets included: for transcripts of virtual tags and for the
 * verification of traces. Never given in an ordinary session.
 */
export type Trace = (name: TraceName, value: Bytes) => void;
