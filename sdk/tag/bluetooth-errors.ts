/**
 * DOMException → code, by its name and the operation under way. Browsers use one name for several causes; the
 * platform is asked what distinguishes them (`Circumstances`) before this is called. Only for the chooser's
 * `NotFoundError` is the message read as well, and nothing depends on it: an unknown message leads to a
 * sentence that names all remaining causes.
 */
import { cancelled } from "../abort.ts";
import { BluetoothError, type BluetoothErrorCode, type OperationError } from "../errors.ts";

/**
 * Chromium's messages for `requestDevice()`, always in English: third_party/blink/renderer/modules/bluetooth/
 * bluetooth_error.cc at 047c7dc4ee1c, and the same in Chromium 156. Platform and permissions do not show
 * these apart: `getAvailability()` is false for a block as well as for a missing adapter
 * (`WebBluetoothServiceImpl::GetAvailability`).
 */
const SAID: ReadonlyMap<string, BluetoothErrorCode | "cancelled"> = new Map([
  ["User cancelled the requestDevice() chooser.", "cancelled"],
  ["Bluetooth adapter not available.", "bluetooth_off"],
  ["Bluetooth Low Energy not available.", "bluetooth_off"],
  // DefaultWebBluetoothGuardSetting, and the person's own setting for all sites.
  ["User or their enterprise policy has disabled Web Bluetooth.", "blocked_by_policy"],
  // Disabled by the browser's maker.
  ["Web Bluetooth API globally disabled.", "unsupported"],
  [
    "Web Bluetooth is not supported on this platform. For a list of supported platforms see: https://goo.gl/J6ASzs",
    "unsupported",
  ],
  ["User denied the browser permission to scan for Bluetooth devices.", "permission_refused"],
  ["User selected a device that doesn't exist anymore.", "out_of_reach"],
]);

export type LinkOperation = "connect" | "discover" | "read" | "write";

/** What the platform says in addition to the chooser's exception. */
export interface Circumstances {
  /** The adapter is there and on. */
  readonly available: boolean;
  /** The page's permissions policy allows Bluetooth. */
  readonly allowedByPolicy: boolean;
  /** A tap is recent enough for the chooser. */
  readonly userActive: boolean;
}

/** What `cause` means where the link was in use; `available` while it is still up. */
export function linkError(cause: unknown, operation: LinkOperation, available: boolean): BluetoothError {
  const name = nameOf(cause);
  return new BluetoothError(linkCode(name, operation, available), `${operation} failed: ${name}`, { cause });
}

/** What `cause` means where the chooser was open. */
export function choiceError(cause: unknown, at: Circumstances): BluetoothError | OperationError {
  const name = nameOf(cause);
  const code = choiceCode(name, cause instanceof Error ? cause.message : "", at);
  return code === "cancelled"
    ? cancelled(cause)
    : new BluetoothError(code, `chooser failed: ${name}`, { cause });
}

function choiceCode(name: string, message: string, at: Circumstances): BluetoothErrorCode | "cancelled" {
  if (!at.allowedByPolicy) return "blocked_by_policy";
  switch (name) {
    case "NotFoundError":
      return SAID.get(message) ?? (at.available ? "cancelled" : "bluetooth_unavailable");
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

const nameOf = (cause: unknown) => (cause instanceof Error ? cause.name : "");

function linkCode(name: string, operation: LinkOperation, available: boolean): BluetoothErrorCode {
  if (operation === "connect") return name === "NetworkError" ? "out_of_reach" : connectCode(name);
  // When a link falls, the open operation may fail under any name.
  if (!available) return "link_lost";
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
