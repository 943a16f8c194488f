/**
 * What of a failure leaves over the air, and what comes back from there: the one place where codes become EDHOC
 * errors and alerts. A rich reason inside, a generic answer outside (docs/protocol.md, codes).
 */
import type { Bytes } from "../encoding/bytes.ts";
import { STATUS } from "../gatt/profile.ts";
import { type FailureAnswer, type FailureName, SecError } from "./errors.ts";
import { decodeError, encodeError } from "./messages.ts";

/**
 * The framed answer to a failure **before keys exist** (and to a frame fault at any time): EDHOC error 2 for `SUITE`,
 * 3 for `CREDENTIAL`, alerts for `FRAME`, `TOO_LARGE`, `BUSY`, `TIMEOUT`, `STATE`, `LOCKOUT`, EDHOC error 1 without a
 * reason for every other handshake failure, undefined (just end) for what has no answer here. Either side may use it.
 */
export function answerTo(error: SecError): FailureAnswer | undefined {
  switch (error.code) {
    case "SUITE":
      return error.suitesR === undefined ? refusal() : edhocError({ code: 2, suitesR: error.suitesR });
    case "CREDENTIAL":
      return edhocError({ code: 3 });
    case "MESSAGE":
    case "VERSION":
    case "CHAIN":
    case "EKU":
    case "CRED_TIME":
    case "AUTH_FAIL":
    case "IDENTITY":
      return refusal();
    case "FRAME":
    case "TOO_LARGE":
    case "BUSY":
    case "TIMEOUT":
    case "STATE":
    case "LOCKOUT":
      return alert(error.code);
    case "RECORD":
    case "STATEMENT_FORMAT":
    case "PEER_ERROR":
    case "TOKEN_FORMAT":
    case "TOKEN_KID":
    case "TOKEN_AUD":
    case "TOKEN_NONCE":
    case "TOKEN_EXPIRED":
    case "TOKEN_BINDING":
    case "TOKEN_SIG":
    case "TOKEN_REPLAY":
    case "OFFSET":
    case "DIGEST":
    case "STORAGE":
    case "LOW_BATTERY":
      return undefined;
  }
}

/** An alert by name. */
export function alert(name: FailureName): FailureAnswer {
  return { type: "ALERT", message: Uint8Array.of(STATUS[name]) };
}

/**
 * The error that a received EDHOC_ERROR or ALERT message stands for: `SUITE` with `suitesR` for EDHOC error 2,
 * else `PEER_ERROR`; `MESSAGE` or `FRAME` where the message itself is malformed.
 */
export function errorFrom(type: FailureAnswer["type"], message: Bytes): SecError {
  if (type === "ALERT") return alertFrom(message);
  try {
    const error = decodeError(message);
    if (error.code === 2) return new SecError("SUITE", { suitesR: error.suitesR });
    return new SecError("PEER_ERROR", { peer: { kind: "edhoc", error } });
  } catch (error) {
    if (error instanceof SecError) return error;
    throw error;
  }
}

function alertFrom(message: Bytes): SecError {
  const [status, ...surplus] = message;
  if (status === undefined || surplus.length > 0)
    return new SecError("FRAME", { message: "an alert is one byte" });
  return new SecError("PEER_ERROR", { peer: { kind: "alert", status } });
}

/** EDHOC error 1. Its text is empty: a prober learns that it failed, not why. */
function refusal(): FailureAnswer {
  return edhocError({ code: 1, text: "" });
}

function edhocError(error: Parameters<typeof encodeError>[0]): FailureAnswer {
  return { type: "EDHOC_ERROR", message: encodeError(error) };
}
