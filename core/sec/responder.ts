/**
 * The Responder (the tag) of EDHOC method 0, one function per message:
 *
 * ```
 * readMessage1 → Message1Accepted → writeMessage2 → WaitMessage3 → readMessage3 → Message3Verified → writeMessage4 → Session
 * ```
 * Each state can be used once; a failure leaves nothing usable behind. All functions throw `SecError` only; what of
 * it may leave the tag is decided by `answerTo` in answers.ts.
 */
import type { Bytes } from "../bytes.ts";
import type { Credential, Peer, VerificationOnly, VerifyPeer } from "./credential.ts";
import type { EphemeralKey } from "./ecdh.ts";
import { SecError } from "./errors.ts";
import type { Once } from "./once.ts";
import type { Session } from "./session.ts";
import type { SuiteId } from "./suites.ts";
import type { Trace } from "./trace.ts";

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

export interface AfterMessage1<P extends Peer> {
  readonly config: ResponderConfig<P>;
}
export type Message1Accepted<P extends Peer> = Once<"M1_ACCEPTED", AfterMessage1<P>>;

export interface AfterMessage2<P extends Peer> {
  readonly config: ResponderConfig<P>;
}
export type WaitMessage3<P extends Peer> = Once<"WAIT_M3", AfterMessage2<P>>;

export interface AfterMessage3<P extends Peer> {
  readonly peer: P;
}
export type Message3Verified<P extends Peer> = Once<"M3_VERIFIED", AfterMessage3<P>>;

/**
 * Checks message_1: form, method 0, and that the selected suite is the first of SUITES_I that we support; if not,
 * `SUITE` with `suitesR` (→ EDHOC error 2; the tag stays in CONNECTED). Everything else wrong is `MESSAGE`.
 */
export async function readMessage1<P extends Peer>(
  config: ResponderConfig<P>,
  message: Bytes,
): Promise<Message1Accepted<P>> {
  throw new SecError("STATE", { message: `not yet ${config} ${message}` });
}

/** Agrees on the secret with a fresh ephemeral key (or the given one), signs, and writes message_2. `MESSAGE` if G_X is bad. */
export async function writeMessage2<P extends Peer>(
  state: Message1Accepted<P>,
  ephemeral?: EphemeralKey,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage3<P> }> {
  throw new SecError("STATE", { message: `not yet ${state} ${ephemeral}` });
}

/**
 * Checks message_3 whole: decryption, plaintext, chain by `verifyPeer`, not our own credential, Signature_3.
 * Throws `MESSAGE`, `CREDENTIAL`, `CHAIN`, `EKU`, `CRED_TIME`, `AUTH_FAIL`, `STATE`.
 */
export async function readMessage3<P extends Peer>(
  state: WaitMessage3<P>,
  message: Bytes,
): Promise<{ readonly peer: P; readonly state: Message3Verified<P> }> {
  throw new SecError("STATE", { message: `not yet ${state} ${message}` });
}

/** Writes message_4, which confirms the keys, and ends the handshake. */
export async function writeMessage4<P extends Peer>(
  state: Message3Verified<P>,
): Promise<{ readonly message: Bytes; readonly session: Session<P> }> {
  throw new SecError("STATE", { message: `not yet ${state}` });
}
