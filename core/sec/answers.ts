/**
 * What of a failure leaves over the air, and what comes back from there: the one place where codes become EDHOC
 * errors and alerts. A rich reason inside, a generic answer outside (docs/protocol.md, codes).
 */
import type { Bytes } from "../bytes.ts";
import type { FailureAnswer, FailureName, SecError } from "./errors.ts";

/**
 * The framed answer to a failure **before keys exist** (and to a frame fault at any time): EDHOC error 2 for `SUITE`,
 * 3 for `CREDENTIAL`, alerts for `FRAME`, `TOO_LARGE`, `BUSY`, `TIMEOUT`, `STATE`, `LOCKOUT`, EDHOC error 1 without a
 * reason for every other handshake failure, undefined (just end) for what has no answer here. Either side may use it.
 */
export function answerTo(error: SecError): FailureAnswer | undefined {
  throw error;
}

/** An alert by name. */
export function alert(name: FailureName): FailureAnswer {
  throw new Error(name);
}

/**
 * The error that a received EDHOC_ERROR or ALERT message stands for: `SUITE` with `suitesR` for EDHOC error 2,
 * else `PEER_ERROR`; `MESSAGE` or `FRAME` where the message itself is malformed.
 */
export function errorFrom(type: FailureAnswer["type"], message: Bytes): SecError {
  throw new Error(`${type} ${message}`);
}
