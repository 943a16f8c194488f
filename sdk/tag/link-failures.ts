/** Failures that a new connection may mend. */
import { BluetoothError, type BluetoothErrorCode, TagError } from "../errors.ts";

const LINK_FAILURES: readonly BluetoothErrorCode[] = [
  "link_lost",
  "timeout",
  "link_busy",
  "operation_refused",
];

/** A garbled frame counts too: some stacks cut values short. */
export function isLinkFailure(error: unknown): boolean {
  if (error instanceof TagError) return error.code === "protocol";
  return error instanceof BluetoothError && LINK_FAILURES.includes(error.code);
}
