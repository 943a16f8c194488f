import type { GattVersion } from "../core/gatt/profile.ts";

/** What an operation reports while it runs. */

/** The tag as it was when the operation ended. */
export interface TagDevice {
  readonly deviceId: string;
  readonly uniqueDeviceId: string;
  readonly name?: string;
  readonly generation: GattVersion;
  /** Per cent. */
  readonly batteryLevel?: number;
  readonly firmwareVersion?: string;
}

/**
 * Steps of an operation, in this order; a step that is not needed never starts. Where the service refuses `authorise`
 * because the lock needs a custody proof, `proof` follows it, and `authorise` starts again.
 */
export const PHASES = [
  "connect",
  "secure",
  "lookup",
  "proof",
  "authorise",
  "write",
  "display",
  "attach",
] as const;
export type Phase = (typeof PHASES)[number];
type MeasuredPhase = "write" | "display";

/** One event of the one progress stream. Times are milliseconds since the operation began. */
export type ProgressEvent =
  | { readonly type: "started"; readonly phase: Phase; readonly at: number }
  /** A silent repetition within the phase: a failed connect, a stale nonce, a dropped link. */
  | { readonly type: "retrying"; readonly phase: Phase; readonly at: number; readonly reason: RetryReason }
  /** 0…1 of the bytes of `write`; 1 of `display` as the tag says that it shows them (COMMITTED). */
  | {
      readonly type: "progress";
      readonly phase: MeasuredPhase;
      readonly at: number;
      readonly fraction: number;
    }
  | { readonly type: "done"; readonly phase: Phase; readonly at: number; readonly duration: number }
  /** What the tag reported about itself, after it was read. */
  | { readonly type: "tag"; readonly at: number; readonly device: TagDevice };

export type RetryReason =
  | "connect_failed"
  | "link_lost"
  | "stale_nonce"
  | "token_refused"
  | "journey_changed";

export interface OperationOptions {
  /**
   * Cancels within 200 ms at every step. Once the tag has its commit, the outcome is settled in the
   * background.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: ProgressEvent) => void;
}
