import { expect, test } from "vitest";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { SecError, type SecErrorCode } from "../../core/sec/errors.ts";
import { OperationError } from "../errors.ts";
import { type Circumstances, choiceError, type LinkOperation, linkError } from "./bluetooth-errors.ts";
import { refusal, refusalOf, translated } from "./sec-errors.ts";

const REFUSALS: Readonly<Record<StatusName, string>> = {
  OK: "protocol",
  AUTHORIZED: "protocol",
  COMMITTED: "protocol",
  BUSY_DISPLAY: "tag_busy",
  FRAME: "protocol",
  TOO_LARGE: "protocol",
  BUSY: "tag_busy",
  TIMEOUT: "protocol",
  STATE: "protocol",
  VERSION: "generation_refused",
  SUITE: "protocol",
  CHAIN: "client_refused",
  EKU: "client_refused",
  CRED_TIME: "client_refused",
  AUTH_FAIL: "client_refused",
  TOKEN_FORMAT: "token_refused",
  TOKEN_KID: "token_refused",
  TOKEN_SIG: "token_refused",
  TOKEN_AUD: "token_refused",
  TOKEN_NONCE: "token_refused",
  TOKEN_EXPIRED: "token_refused",
  TOKEN_BINDING: "token_refused",
  TOKEN_REPLAY: "token_refused",
  LOCKOUT: "lockout",
  OFFSET: "write_refused",
  DIGEST: "write_refused",
  STORAGE: "write_refused",
  LOW_BATTERY: "low_battery",
};

test.each(Object.entries(REFUSALS) as [StatusName, string][])(
  "a tag's %s is %s, by name and by number",
  (status, code) => {
    expect(refusal(status)).toMatchObject({ name: "TagError", code, status });
    expect(refusalOf(STATUS[status])).toMatchObject({ name: "TagError", code, status });
  },
);

test("a number that the profile has not is outside the protocol, and stands for no status", () => {
  expect(refusalOf(250)).toMatchObject({ code: "protocol", status: undefined });
});

test.each<[SecErrorCode, string]>([
  ["CHAIN", "untrusted_tag"],
  ["EKU", "untrusted_tag"],
  ["CRED_TIME", "untrusted_tag"],
  ["CREDENTIAL", "untrusted_tag"],
  ["AUTH_FAIL", "untrusted_tag"],
  ["IDENTITY", "wrong_tag"],
  ["MESSAGE", "secure_session_failed"],
  ["RECORD", "secure_session_failed"],
  ["SUITE", "secure_session_failed"],
  ["FRAME", "protocol"],
  ["TOO_LARGE", "protocol"],
  ["STATE", "protocol"],
  // An EDHOC error of the tag: unauthenticated, without a reason.
  ["PEER_ERROR", "client_refused"],
])("a session that failed by %s is %s", (secCode, code) => {
  const cause = new SecError(secCode, { message: "any" });
  expect(translated(cause)).toMatchObject({ name: "TagError", code, cause });
});

test("an alert is what the tag says in it", () => {
  const cause = new SecError("PEER_ERROR", { peer: { kind: "alert", status: STATUS.LOCKOUT } });
  expect(translated(cause)).toMatchObject({ code: "lockout", status: "LOCKOUT", cause });
});

test("an error of an operation stays what it is, also where the session has wrapped it", () => {
  const error = new OperationError("clock_wrong", "any");
  expect(translated(error)).toBe(error);
  expect(translated(new SecError("CHAIN", { cause: error }))).toBe(error);
});

test("what is not of the secure session stays what it is", () => {
  const error = new TypeError("any");
  expect(translated(error)).toBe(error);
});

const FINE: Circumstances = { available: true, allowedByPolicy: true, userActive: true };

function bluetoothError(cause: unknown, operation: LinkOperation | "choose", at: Circumstances) {
  return operation === "choose" ? choiceError(cause, at) : linkError(cause, operation, at.available);
}

test.each<[LinkOperation | "choose", string, Partial<Circumstances>, string]>([
  ["choose", "NotFoundError", {}, "cancelled"],
  ["choose", "NotFoundError", { available: false }, "bluetooth_unavailable"],
  ["choose", "NotFoundError", { allowedByPolicy: false }, "blocked_by_policy"],
  ["choose", "AbortError", {}, "cancelled"],
  ["choose", "SecurityError", { userActive: false }, "needs_user_gesture"],
  ["choose", "SecurityError", {}, "blocked_by_policy"],
  ["choose", "NotAllowedError", {}, "permission_refused"],
  ["choose", "NotSupportedError", {}, "unsupported"],
  ["choose", "InvalidStateError", {}, "link_busy"],
  ["connect", "NetworkError", {}, "out_of_reach"],
  ["connect", "SecurityError", {}, "permission_refused"],
  ["discover", "NotFoundError", {}, "not_a_tag"],
  ["discover", "NetworkError", { available: false }, "link_lost"],
  ["read", "NetworkError", {}, "link_busy"],
  ["read", "NotSupportedError", {}, "operation_refused"],
  ["read", "NotSupportedError", { available: false }, "link_lost"],
  ["write", "InvalidStateError", {}, "link_lost"],
])("%s failing with %s (%o) is %s", (operation, name, circumstances, code) => {
  const cause = new DOMException("any message", name);
  expect(bluetoothError(cause, operation, { ...FINE, ...circumstances })).toMatchObject({ code, cause });
});

// Chromium's literal messages: third_party/blink/renderer/modules/bluetooth/bluetooth_error.cc at
// 047c7dc4ee1ce908d7fea38ca063fa2f80f92c77.
test.each<[string, boolean, string]>([
  ["Bluetooth adapter not available.", false, "bluetooth_off"],
  ["Bluetooth Low Energy not available.", false, "bluetooth_off"],
  ["User or their enterprise policy has disabled Web Bluetooth.", false, "blocked_by_policy"],
  ["Web Bluetooth API globally disabled.", false, "unsupported"],
  [
    "Web Bluetooth is not supported on this platform. For a list of supported platforms see: https://goo.gl/J6ASzs",
    false,
    "unsupported",
  ],
  ["User denied the browser permission to scan for Bluetooth devices.", true, "permission_refused"],
  ["User selected a device that doesn't exist anymore.", true, "out_of_reach"],
  // The adapter was pulled out behind a chooser that was then closed.
  ["User cancelled the requestDevice() chooser.", false, "cancelled"],
  ["Words of a later version.", false, "bluetooth_unavailable"],
  ["Words of a later version.", true, "cancelled"],
])("a chooser that ends with “%s” (available: %s) is %s", (message, available, code) => {
  const cause = new DOMException(message, "NotFoundError");
  expect(bluetoothError(cause, "choose", { ...FINE, available })).toMatchObject({ code, cause });
});

test.each(["choose", "read"] as const)(
  "what is no exception at all has no cause that is known: %s",
  (operation) => {
    expect(bluetoothError(null, operation, FINE)).toMatchObject({ code: "operation_refused", cause: null });
  },
);

test("a message is asked for its cause only where the name is not enough", () => {
  const cause = new DOMException("Bluetooth adapter not available.", "NetworkError");
  expect(bluetoothError(cause, "connect", FINE)).toMatchObject({ code: "out_of_reach" });
});
