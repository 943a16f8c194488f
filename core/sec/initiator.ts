/**
 * The Initiator (the client) of EDHOC method 0, one function per message:
 *
 * ```
 * writeMessage1 → WaitMessage2 → readMessage2 → Message2Verified → writeMessage3 → WaitMessage4 → readMessage4 → Session
 * ```
 * Each state can be used once; a failure leaves nothing usable behind. All functions throw `SecError` only.
 */
import type { Bytes } from "../bytes.ts";
import type { Credential, Peer, VerificationOnly, VerifyPeer } from "./credential.ts";
import type { EphemeralKey } from "./ecdh.ts";
import { SecError } from "./errors.ts";
import type { Once } from "./once.ts";
import type { Session } from "./session.ts";
import type { SuiteId } from "./suites.ts";
import type { Trace } from "./trace.ts";

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

export interface AfterMessage1<P extends Peer> {
  readonly config: InitiatorConfig<P>;
}
export type WaitMessage2<P extends Peer> = Once<"WAIT_M2", AfterMessage1<P>>;

export interface AfterMessage2<P extends Peer> {
  readonly config: InitiatorConfig<P>;
}
export type Message2Verified<P extends Peer> = Once<"M2_VERIFIED", AfterMessage2<P>>;

export interface AfterMessage3<P extends Peer> {
  readonly peer: P;
}
export type WaitMessage4<P extends Peer> = Once<"WAIT_M4", AfterMessage3<P>>;

/** Draws an ephemeral key (or takes the given one) and writes message_1 (37 bytes with one suite). */
export async function writeMessage1<P extends Peer>(
  config: InitiatorConfig<P>,
  ephemeral?: EphemeralKey,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage2<P> }> {
  throw new SecError("STATE", { message: `not yet ${config} ${ephemeral}` });
}

/**
 * Checks message_2 whole: key agreement, plaintext, chain by `verifyPeer`, not our own credential, Signature_2.
 * Throws `MESSAGE`, `CREDENTIAL`, `CHAIN`, `EKU`, `CRED_TIME`, `IDENTITY`, `AUTH_FAIL`, `STATE`.
 */
export async function readMessage2<P extends Peer>(
  state: WaitMessage2<P>,
  message: Bytes,
): Promise<{ readonly peer: P; readonly state: Message2Verified<P> }> {
  throw new SecError("STATE", { message: `not yet ${state} ${message}` });
}

/**
 * Signs and writes message_3. A retransmission must send these very bytes again (K_3 and IV_3 are fixed): keep
 * them, there is no way to write the message twice.
 */
export async function writeMessage3<P extends Peer>(
  state: Message2Verified<P>,
): Promise<{ readonly message: Bytes; readonly state: WaitMessage4<P> }> {
  throw new SecError("STATE", { message: `not yet ${state}` });
}

/** Checks message_4 (`MESSAGE` if malformed, `AUTH_FAIL` if it does not decrypt); only now is there a session. */
export async function readMessage4<P extends Peer>(
  state: WaitMessage4<P>,
  message: Bytes,
): Promise<Session<P>> {
  throw new SecError("STATE", { message: `not yet ${state} ${message}` });
}
