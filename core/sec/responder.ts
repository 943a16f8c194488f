/**
 * The Responder (the tag) of EDHOC method 0, one function per message:
 *
 * ```
 * readMessage1 → Message1Accepted → writeMessage2 → WaitMessage3 → readMessage3 → Message3Verified → writeMessage4 → EdhocSession
 * ```
 * Each state can be used once; a failure leaves nothing usable behind. Failures are `SecError` (what of it may leave
 * the tag is decided by `answerTo`), except that what the credential's own `sign` throws is passed on.
 */
import { type Bytes, wipe } from "../encoding/bytes.ts";
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
  decodeMessage1,
  decodePlaintext3,
  decodeSingleBstr,
  encodeIdentifier,
  encodeMessage2,
  encodePlaintext2,
  METHOD_SIGNATURE_SIGNATURE,
} from "./messages.ts";
import {
  mac2,
  mac3,
  maskPlaintext2,
  nextTranscriptHash,
  openMessage,
  sealMessage,
  transcriptHash2,
} from "./schedule.ts";
import { PRODUCTION_SUITES, SUITES, type Suite, type SuiteId } from "./suites.ts";

export interface ResponderConfig<P extends Peer> {
  readonly credential: Credential;
  /** Must check chain (to the pinned client root) and EKU. */
  readonly verifyPeer: VerifyPeer<P>;
  /** What this side supports, in order of preference; `PRODUCTION_SUITES` by default. */
  readonly suites?: readonly SuiteId[];
  /** C_R as RFC 9528 §3.3.2 sees it: a byte string, by default one byte that travels as an integer. */
  readonly connectionIdentifier?: Bytes;
  readonly trace?: Trace;
  readonly verificationOnly?: VerificationOnly;
}

interface AfterMessage1<P extends Peer> {
  readonly config: ResponderConfig<P>;
  readonly suite: Suite;
  readonly gX: Bytes;
  readonly hashOfMessage1: Bytes;
}
/** message_1 is in order. */
export type Message1Accepted<P extends Peer> = Once<"M1_ACCEPTED", AfterMessage1<P>>;

interface AfterMessage2<P extends Peer> {
  readonly config: ResponderConfig<P>;
  readonly suite: Suite;
  readonly prk: Bytes;
  readonly th3: Bytes;
}
/** message_2 is out. */
export type WaitMessage3<P extends Peer> = Once<"WAIT_M3", AfterMessage2<P>>;

/** The client is who it says. */
export type Message3Verified<P extends Peer> = Once<"M3_VERIFIED", Agreed<P>>;

const DEFAULT_IDENTIFIER = Uint8Array.of(0x01);

/**
 * Checks message_1: form, method 0, and that the selected suite is the first of SUITES_I that we support; if not,
 * `SUITE` with `suitesR` (→ EDHOC error 2; the tag stays in CONNECTED). Everything else wrong is `MESSAGE`.
 */
export async function readMessage1<P extends Peer>(
  given: ResponderConfig<P>,
  message: Bytes,
): Promise<Message1Accepted<P>> {
  const config = tracingCopies(given);
  const { method, suitesI, gX } = decodeMessage1(message);
  if (method !== METHOD_SIGNATURE_SIGNATURE) throw new SecError("MESSAGE", { message: "method" });
  const suite = selectedSuite(suitesI, config.suites ?? PRODUCTION_SUITES);
  if (gX.length !== suite.ecdh.publicLength) throw new SecError("MESSAGE", { message: "length of G_X" });
  const hashOfMessage1 = await suite.hash.digest(message);
  config.trace?.("message_1", message);
  config.trace?.("TH_1", hashOfMessage1);
  return new Once("M1_ACCEPTED", { config, suite, gX, hashOfMessage1 });
}

/** §5.2.3: the last entry is selected, and none before it may be one that we support. */
function selectedSuite(suitesI: readonly number[], supported: readonly SuiteId[]): Suite {
  const common = suitesI.map((offered) => supported.find((own) => own === offered));
  const selected = common.at(-1);
  const passedOver = common.slice(0, -1).some((earlier) => earlier !== undefined);
  if (selected === undefined || passedOver) throw new SecError("SUITE", { suitesR: supported });
  return SUITES[selected];
}

/**
 * Agrees on the secret with a fresh ephemeral key (or the given one), signs, and writes message_2. `MESSAGE` if G_X
 * must not be used.
 */
export async function writeMessage2<P extends Peer>(
  state: Message1Accepted<P>,
  ephemeral?: EphemeralKey,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage3<P> }> {
  const { config, suite, gX, hashOfMessage1 } = state.take();
  const { trace } = config;
  const own = ephemeral ?? (await suite.ecdh.generate());
  const gY = own.publicKey;
  const gXY = await own.agree(gX);
  const th2 = await transcriptHash2(suite, gY, hashOfMessage1);
  const prk = await suite.hash.extract(th2, gXY);
  if (own.privateKey !== undefined) trace?.("Y_priv", own.privateKey);
  trace?.("G_Y", gY);
  trace?.("G_XY", gXY);
  trace?.("TH_2", th2);
  trace?.("PRK_2e", prk);
  trace?.("PRK_3e2m", prk);
  wipe(gXY);
  return guarding(prk, async () => {
    const { plaintext, cred } = await ownPlaintext2(config, suite, prk, th2);
    const message = encodeMessage2({ gY, ciphertext: await maskPlaintext2(suite, prk, th2, plaintext) });
    const th3 = await nextTranscriptHash(suite, th2, plaintext, cred);
    trace?.("message_2", message);
    trace?.("TH_3", th3);
    return { message, state: new Once("WAIT_M3", { config, suite, prk, th3 }) };
  });
}

async function ownPlaintext2<P extends Peer>(
  config: ResponderConfig<P>,
  suite: Suite,
  prk: Bytes,
  th2: Bytes,
) {
  const claim = ownClaim(config, th2);
  const cR = encodeIdentifier(config.connectionIdentifier ?? DEFAULT_IDENTIFIER);
  const mac = await mac2(suite, prk, cR, claim);
  const signature = await signClaim(suite, config.credential, claim, mac);
  const plaintext = encodePlaintext2({ cR, idCred: claim.idCred, signature, ead: claim.ead });
  config.trace?.("MAC_2", mac);
  config.trace?.("Signature_or_MAC_2", signature);
  config.trace?.("PLAINTEXT_2", plaintext);
  return { plaintext, cred: claim.cred };
}

/**
 * Checks message_3 whole: decryption, plaintext, chain by `verifyPeer`, not our own credential, Signature_3.
 * Throws `MESSAGE`, `CREDENTIAL`, `CHAIN`, `EKU`, `CRED_TIME`, `AUTH_FAIL`, `STATE`.
 */
export async function readMessage3<P extends Peer>(
  state: WaitMessage3<P>,
  message: Bytes,
): Promise<{ readonly peer: P; readonly state: Message3Verified<P> }> {
  const { config, suite, prk, th3 } = state.take();
  const { trace } = config;
  return guarding(prk, async () => {
    const ciphertext = decodeSingleBstr(message);
    const plaintext = await openMessage(suite, prk, 3, th3, ciphertext);
    if (plaintext === undefined) throw new SecError("AUTH_FAIL", { message: "message_3" });
    const accepted = await authenticateInitiator(config, suite, prk, th3, plaintext);
    const th4 = await nextTranscriptHash(suite, th3, plaintext, accepted.leaf);
    trace?.("PLAINTEXT_3", plaintext);
    trace?.("CIPHERTEXT_3", ciphertext);
    trace?.("message_3", message);
    trace?.("TH_4", th4);
    const agreed = { suite, prk, th4, peer: accepted.peer, peerChain: accepted.chain, trace };
    return { peer: accepted.peer, state: new Once("M3_VERIFIED", agreed) };
  });
}

async function authenticateInitiator<P extends Peer>(
  config: ResponderConfig<P>,
  suite: Suite,
  prk: Bytes,
  th3: Bytes,
  plaintext: Bytes,
): Promise<AcceptedPeer<P>> {
  const content = decodePlaintext3(plaintext);
  const accepted = await acceptPeer(config, content);
  const claim = { idCred: content.idCred, cred: accepted.leaf, ead: content.ead, th: th3 };
  const mac = await mac3(suite, prk, claim);
  config.trace?.("PRK_4e3m", prk);
  config.trace?.("MAC_3", mac);
  config.trace?.("Signature_or_MAC_3", content.signature);
  await checkSignature(suite, accepted.peer, claim, mac, content.signature);
  return accepted;
}

/** Writes message_4, which confirms the keys, and ends the handshake. */
export async function writeMessage4<P extends Peer>(
  state: Message3Verified<P>,
): Promise<{ readonly message: Bytes; readonly session: EdhocSession<P> }> {
  const agreed = state.take();
  return guarding(agreed.prk, async () => {
    const ciphertext = await sealMessage(agreed.suite, agreed.prk, 4, agreed.th4, new Uint8Array());
    const message = encodeBstr(ciphertext);
    agreed.trace?.("message_4", message);
    return { message, session: await establish(agreed) };
  });
}
