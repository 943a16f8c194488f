/**
 * DOMException → code, by its name and the operation in flight, never by its message. Browsers give one name to
 * several causes; what tells them apart is asked from the platform (`Circumstances`), before this is called.
 */
import { cancelled } from "../abort.ts";
import { BluetoothError, type BluetoothErrorCode, type OperationError } from "../errors.ts";

export type BluetoothOperation = "choose" | "connect" | "discover" | "read" | "write";

/** What the platform says beside the exception. */
export interface Circumstances {
  /** The chooser: the adapter is there and on. Otherwise: the link still stands. */
  readonly available: boolean;
  /** The page's permissions policy allows Bluetooth. */
  readonly allowedByPolicy: boolean;
  /** A tap is recent enough for the chooser. */
  readonly userActive: boolean;
}

/** The error of ours that `cause` stands for. */
export function bluetoothError(
  cause: unknown,
  operation: BluetoothOperation,
  circumstances: Circumstances,
): BluetoothError | OperationError {
  const name = cause instanceof Error ? cause.name : "";
  if (operation === "choose") return choiceError(name, cause, circumstances);
  return new BluetoothError(linkCode(name, operation, circumstances), `${operation} failed: ${name}`, {
    cause,
  });
}

function choiceError(name: string, cause: unknown, at: Circumstances): BluetoothError | OperationError {
  const code = choiceCode(name, at);
  return code === "cancelled"
    ? cancelled(cause)
    : new BluetoothError(code, `chooser failed: ${name}`, { cause });
}

function choiceCode(name: string, at: Circumstances): BluetoothErrorCode | "cancelled" {
  if (!at.allowedByPolicy) return "blocked_by_policy";
  switch (name) {
    // One name for a closed chooser, a missing adapter and a block by policy (DefaultWebBluetoothGuardSetting); the
    // last two look alike in all but the message, so the sentence of `bluetooth_off` names both.
    case "NotFoundError":
      return at.available ? "cancelled" : "bluetooth_off";
    case "AbortError":
      return "cancelled";
    case "SecurityError":
      return at.userActive ? "blocked_by_policy" : "needs_user_gesture";
    case "NotAllowedError":
      return "permission_refused";
    case "NotSupportedError":
      return "unsupported";
    case "InvalidStateError":
      return "link_busy";
    default:
      return "operation_refused";
  }
}

function linkCode(name: string, operation: BluetoothOperation, at: Circumstances): BluetoothErrorCode {
  if (operation === "connect") return name === "NetworkError" ? "out_of_reach" : connectCode(name);
  // A falling link makes the open operation fail under any name.
  if (!at.available) return "link_lost";
  switch (name) {
    case "NotFoundError":
      return "not_a_tag";
    // The service's handles belong to an earlier connection.
    case "InvalidStateError":
      return "link_lost";
    case "NetworkError":
      return operation === "discover" ? "link_lost" : "link_busy";
    default:
      return "operation_refused";
  }
}

function connectCode(name: string): BluetoothErrorCode {
  return name === "SecurityError" || name === "NotAllowedError" ? "permission_refused" : "out_of_reach";
}
