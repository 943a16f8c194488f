/**
 * The Initiator (the client) of EDHOC method 0, one function per message:
 *
 * ```
 * writeMessage1 → WaitMessage2 → readMessage2 → Message2Verified → writeMessage3 → WaitMessage4 → readMessage4 → EdhocSession
 * ```
 * Each state can be used once; a failure leaves nothing usable behind. Failures are `SecError`, except that what a
 * broken configuration or the credential's own `sign` throws is passed on.
 */
import { type Bytes, equalBytes, wipe } from "../encoding/bytes.ts";
import { encodeBstr } from "../encoding/cbor.ts";
import {
  type AcceptedPeer,
  type Agreed,
  acceptPeer,
  type Credential,
  checkSignature,
  type EdhocSession,
  establish,
  guarding,
  Once,
  ownClaim,
  type Peer,
  signClaim,
  type Trace,
  tracingCopies,
  type VerificationOnly,
  type VerifyPeer,
} from "./authentication.ts";
import type { EphemeralKey } from "./ecdh.ts";
import { SecError } from "./errors.ts";
import {
  decodeMessage2,
  decodePlaintext2,
  decodePlaintext4,
  decodeSingleBstr,
  encodeIdentifier,
  encodeMessage1,
  encodePlaintext3,
  METHOD_SIGNATURE_SIGNATURE,
} from "./messages.ts";
import {
  LONGEST_PLAINTEXT_2,
  mac2,
  mac3,
  maskPlaintext2,
  nextTranscriptHash,
  openMessage,
  sealMessage,
  transcriptHash2,
} from "./schedule.ts";
import { SUITES, type Suite, type SuiteId } from "./suites.ts";

export interface InitiatorConfig<P extends Peer> {
  readonly credential: Credential;
  /** Must check chain, EKU and that the certificate's id is the chosen tag's (`IDENTITY` if not). */
  readonly verifyPeer: VerifyPeer<P>;
  /** SUITES_I, the last entry being selected; from `nextSuites`. */
  readonly suites: readonly SuiteId[];
  /** C_I as RFC 9528 §3.3.2 sees it: a byte string, by default one byte that travels as an integer. */
  readonly connectionIdentifier?: Bytes;
  readonly trace?: Trace;
  readonly verificationOnly?: VerificationOnly;
}

interface AfterMessage1<P extends Peer> {
  readonly config: InitiatorConfig<P>;
  readonly suite: Suite;
  readonly ephemeral: EphemeralKey;
  readonly hashOfMessage1: Bytes;
}
/** message_1 is out. */
export type WaitMessage2<P extends Peer> = Once<"WAIT_M2", AfterMessage1<P>>;

interface AfterMessage2<P extends Peer> {
  readonly config: InitiatorConfig<P>;
  readonly suite: Suite;
  readonly prk: Bytes;
  readonly th3: Bytes;
  readonly accepted: AcceptedPeer<P>;
}
/** The tag is who it should be. */
export type Message2Verified<P extends Peer> = Once<"M2_VERIFIED", AfterMessage2<P>>;

/** message_3 is out. */
export type WaitMessage4<P extends Peer> = Once<"WAIT_M4", Agreed<P>>;

const DEFAULT_IDENTIFIER = Uint8Array.of(0x00);

/** Draws an ephemeral key (or takes the given one) and writes message_1 (37 bytes with one suite). */
export async function writeMessage1<P extends Peer>(
  given: InitiatorConfig<P>,
  ephemeral?: EphemeralKey,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage2<P> }> {
  const config = tracingCopies(given);
  const selected = config.suites.at(-1);
  if (selected === undefined) throw new SecError("SUITE", { message: "no suite to offer" });
  const suite = SUITES[selected];
  const own = ephemeral ?? (await suite.ecdh.generate());
  const message = encodeMessage1({
    method: METHOD_SIGNATURE_SIGNATURE,
    suitesI: config.suites,
    gX: own.publicKey,
    cI: encodeIdentifier(config.connectionIdentifier ?? DEFAULT_IDENTIFIER),
    ead: new Uint8Array(),
  });
  const hashOfMessage1 = await suite.hash.digest(message);
  if (own.privateKey !== undefined) config.trace?.("X_priv", own.privateKey);
  config.trace?.("message_1", message);
  config.trace?.("TH_1", hashOfMessage1);
  return { message, state: new Once("WAIT_M2", { config, suite, ephemeral: own, hashOfMessage1 }) };
}

/**
 * Checks message_2 whole: key agreement, plaintext, chain by `verifyPeer`, not our own credential, Signature_2.
 * Throws `MESSAGE`, `CREDENTIAL`, `CHAIN`, `EKU`, `CRED_TIME`, `IDENTITY`, `AUTH_FAIL`, `STATE`.
 */
export async function readMessage2<P extends Peer>(
  state: WaitMessage2<P>,
  message: Bytes,
): Promise<{ readonly peer: P; readonly state: Message2Verified<P> }> {
  const { config, suite, ephemeral, hashOfMessage1 } = state.take();
  const { trace } = config;
  const { gY, ciphertext } = decodeMessage2(message, suite.ecdh.publicLength);
  if (ciphertext.length > LONGEST_PLAINTEXT_2)
    throw new SecError("MESSAGE", { message: "message_2 is too long" });
  if (equalBytes(gY, ephemeral.publicKey))
    throw new SecError("MESSAGE", { message: "our own G_X came back" });
  const gXY = await ephemeral.agree(gY);
  const th2 = await transcriptHash2(suite, gY, hashOfMessage1);
  const prk = await suite.hash.extract(th2, gXY);
  trace?.("G_Y", gY);
  trace?.("G_XY", gXY);
  trace?.("TH_2", th2);
  trace?.("PRK_2e", prk);
  trace?.("PRK_3e2m", prk);
  wipe(gXY);
  return guarding(prk, async () => {
    const plaintext = await maskPlaintext2(suite, prk, th2, ciphertext);
    trace?.("PLAINTEXT_2", plaintext);
    const accepted = await authenticateResponder(config, suite, prk, th2, plaintext);
    const th3 = await nextTranscriptHash(suite, th2, plaintext, accepted.leaf);
    trace?.("message_2", message);
    trace?.("TH_3", th3);
    return { peer: accepted.peer, state: new Once("M2_VERIFIED", { config, suite, prk, th3, accepted }) };
  });
}

async function authenticateResponder<P extends Peer>(
  config: InitiatorConfig<P>,
  suite: Suite,
  prk: Bytes,
  th2: Bytes,
  plaintext: Bytes,
): Promise<AcceptedPeer<P>> {
  const content = decodePlaintext2(plaintext);
  const accepted = await acceptPeer(config, content);
  const claim = { idCred: content.idCred, cred: accepted.leaf, ead: content.ead, th: th2 };
  const mac = await mac2(suite, prk, content.cR, claim);
  config.trace?.("MAC_2", mac);
  config.trace?.("Signature_or_MAC_2", content.signature);
  await checkSignature(suite, accepted.peer, claim, mac, content.signature);
  return accepted;
}

/**
 * Signs and writes message_3. A retransmission must send these very bytes again (K_3 and IV_3 are fixed): keep
 * them, there is no way to write the message twice.
 */
export async function writeMessage3<P extends Peer>(
  state: Message2Verified<P>,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage4<P> }> {
  const { config, suite, prk, th3, accepted } = state.take();
  const { trace } = config;
  return guarding(prk, async () => {
    const claim = ownClaim(config, th3);
    const mac = await mac3(suite, prk, claim);
    const signature = await signClaim(suite, config.credential, claim, mac);
    const plaintext = encodePlaintext3({ idCred: claim.idCred, signature, ead: claim.ead });
    const ciphertext = await sealMessage(suite, prk, 3, th3, plaintext);
    const message = encodeBstr(ciphertext);
    const th4 = await nextTranscriptHash(suite, th3, plaintext, claim.cred);
    trace?.("PRK_4e3m", prk);
    trace?.("MAC_3", mac);
    trace?.("Signature_or_MAC_3", signature);
    trace?.("PLAINTEXT_3", plaintext);
    trace?.("CIPHERTEXT_3", ciphertext);
    trace?.("message_3", message);
    trace?.("TH_4", th4);
    const agreed = { suite, prk, th4, peer: accepted.peer, peerChain: accepted.chain, trace };
    return { message, state: new Once("WAIT_M4", agreed) };
  });
}

/** Checks message_4 (`MESSAGE` if malformed, `AUTH_FAIL` if it does not decrypt); only now is there a session. */
export async function readMessage4<P extends Peer>(
  state: WaitMessage4<P>,
  message: Bytes,
): Promise<EdhocSession<P>> {
  const agreed = state.take();
  return guarding(agreed.prk, async () => {
    const ciphertext = decodeSingleBstr(message);
    const plaintext = await openMessage(agreed.suite, agreed.prk, 4, agreed.th4, ciphertext);
    if (plaintext === undefined) throw new SecError("AUTH_FAIL", { message: "message_4" });
    decodePlaintext4(plaintext);
    agreed.trace?.("message_4", message);
    return establish(agreed);
  });
}
