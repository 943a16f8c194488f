/** {@link TagLink} over whatever connects: time limits, silent retries and cancelling, and no platform's calls. */
import { cancelled, sleep, within } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import { connectionOver, ignoreFailure, type PlatformConnection } from "./connection-over.ts";
import type { TagConnection, TagLink } from "./link.ts";

/** About a third of first connects on Android fail; 16 of 17 then succeed within seconds. */
const CONNECT = { delays: [500, 1_000, 2_000], budget: 12_000 } as const;

/** One device, as {@link linkOver} uses it. */
export interface PlatformDevice {
  /** Stable on this device, and across visits where the platform remembers devices. */
  readonly deviceId: string;
  /** As advertised; read again each time. Empty where the platform does not know it. */
  readonly name: string;
  /**
   * Makes one attempt: connects, asks for the longest MTU where the platform lets one ask, and discovers. Rejects with a
   * {@link BluetoothError}: `out_of_reach`, `link_lost`, or `not_a_tag` where the tag service is missing. Anything else
   * counts as `out_of_reach`. Needs no time limit and no retry.
   */
  connect(): Promise<PlatformConnection>;
  /** Ends an attempt that is pending or failed. Must do no harm where there is none. What it rejects with is ignored. */
  disconnect(): unknown;
  /** Awaited before the first attempt: until a device of an earlier visit can be reached. */
  reach?(signal: AbortSignal): Promise<void>;
  /** Whether another attempt may mend this failure; default true. Asked for the codes that {@link connect} names. */
  mayRetry?(error: BluetoothError): boolean;
}

/**
 * A link that keeps the rules of {@link TagLink}: at most four attempts within 12 s, with pauses of about 0.5, 1 and 2 s;
 * a second one after `not_a_tag`; cancelled at once. Its connections are those of {@link connectionOver}.
 */
export function linkOver(device: PlatformDevice): TagLink {
  let attempts = 0;
  const connectOnce = async (budget: number, signal: AbortSignal): Promise<TagConnection> => {
    const own = ++attempts;
    const late = () => new BluetoothError("out_of_reach", "the tag did not connect in time");
    const opening = (async () => device.connect())();
    try {
      return connectionOver(await within(budget, signal, opening, late));
    } catch (cause) {
      ignoreFailure(() => device.disconnect());
      // Where the platform cannot withdraw an attempt, it may still succeed: then nothing uses the connection.
      opening.then(
        (unused) => own === attempts && ignoreFailure(() => unused.disconnect()),
        () => undefined,
      );
      if (signal.aborted) throw cancelled(cause);
      if (cause instanceof BluetoothError) throw cause;
      throw new BluetoothError("out_of_reach", "the tag did not connect", { cause });
    }
  };
  return {
    deviceId: device.deviceId,
    get name() {
      return device.name;
    },
    async connect(signal, onRetry) {
      await device.reach?.(signal);
      const deadline = performance.now() + CONNECT.budget;
      let wasMissing = false;
      for (let attempt = 0; ; attempt++) {
        try {
          return await connectOnce(Math.max(0, deadline - performance.now()), signal);
        } catch (error) {
          const delay = CONNECT.delays[attempt];
          const wait = delay === undefined ? 0 : delay * (0.75 + Math.random() / 2);
          const mends = isTransient(error, wasMissing) && (device.mayRetry?.(error) ?? true);
          wasMissing ||= error instanceof BluetoothError && error.code === "not_a_tag";
          if (!mends || delay === undefined || performance.now() + wait >= deadline) throw error;
          onRetry();
          await sleep(wait, signal);
        }
      }
    },
  };
}

/** The chooser shows only devices that offer the service: systems sometimes discover it at the second connection. */
const isTransient = (error: unknown, wasMissing: boolean): error is BluetoothError =>
  error instanceof BluetoothError &&
  (error.code === "out_of_reach" ||
    error.code === "link_lost" ||
    (error.code === "not_a_tag" && !wasMissing));
