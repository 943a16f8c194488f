import type { Bytes } from "../core/encoding/bytes.ts";
import type { GattVersion } from "../core/gatt/profile.ts";

/** What a transaction token should allow. */
export interface TransactionWish {
  /** As read from the tag. */
  readonly uniqueDeviceId: string;
  readonly generation: GattVersion;
  /** The tag's, 16 bytes. */
  readonly nonce: Bytes;
  readonly operation: "write" | "clear";
  /** SHA-256 of the payload. */
  readonly payloadDigest: Bytes;
  /** v2.1: 32 bytes. */
  readonly channelBinding?: Bytes;
  /** v2.1: DER. */
  readonly tagCertificate?: Bytes;
  /** The service compares the payload with this bag of the caller's. */
  readonly baggageId?: number;
  /** The bag that is meant, whether or not its content is to be compared. */
  readonly forBaggageId?: number;
  /** v2.1: what the tag signed over the service's challenge. */
  readonly tagStatement?: Bytes;
}
