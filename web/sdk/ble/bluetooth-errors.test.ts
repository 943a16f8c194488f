// @vitest-environment node
import { expect, test } from "vitest";
import { type BluetoothOperation, bluetoothError, type Circumstances } from "./bluetooth-errors.ts";

const FINE: Circumstances = { available: true, allowedByPolicy: true, userActive: true };

test.each<[BluetoothOperation, string, Partial<Circumstances>, string]>([
  ["choose", "NotFoundError", {}, "cancelled"],
  ["choose", "NotFoundError", { available: false }, "bluetooth_off"],
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
