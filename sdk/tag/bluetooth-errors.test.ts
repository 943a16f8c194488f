import { expect, test } from "vitest";
import { type Circumstances, choiceError, type LinkOperation, linkError } from "./bluetooth-errors.ts";

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
