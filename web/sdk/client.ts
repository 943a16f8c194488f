import type { CustodyProofCollector, Taglatch } from "./types.ts";

export interface TaglatchConfig {
  /** Where the service is, without a trailing slash; "" for the page's own origin. */
  readonly baseUrl: string;
  /** X-Source-App-Key. Absent: the configuration's key for `audience`. */
  readonly clientKey?: string;
  /** Which of the configuration's client keys to use; default `passenger`. */
  readonly audience?: "passenger" | "kiosk";
  /** Used when neither the request nor the call brings one. */
  readonly custodyProofCollector?: CustodyProofCollector;
  /** Default 3. */
  readonly maxCustodyProofAttempts?: number;
  /** Whether the label shows the record locator (half of the custody proof); default false. */
  readonly showLocator?: boolean;
  /** IndexedDB name; default `taglatch`. Passenger and kiosk on one origin need two. */
  readonly databaseName?: string;
}

/** The client. Nothing is loaded, asked or stored before the first call. */
export function createTaglatch(_config: TaglatchConfig): Taglatch {
  throw new Error("not built yet");
}
