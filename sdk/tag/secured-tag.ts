/**
 * A tag with an established session, whatever its generation. The transfer and clear flows know only this.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { ClientState } from "./client-table.ts";

/** The tag's challenge: goes to endpoint 8, comes back inside the token. */
export interface TagNonce {
  /** 16 bytes. */
  readonly value: Bytes;
  /** When it was read, `performance.now()`. */
  readonly readAt: number;
}

export interface Delivery {
  readonly payload: Bytes;
  /** SHA-256 of `payload`. */
  readonly digest: Bytes;
  /** 0…1 of the payload's bytes. */
  readonly onProgress: (fraction: number) => void;
  /**
   * Called before the last message is sent, the one that makes the tag change its display: from here on there
   * is no way back.
   */
  readonly onCommit: () => void;
}

export interface SecuredTag {
  readonly id: string;
  readonly generation: GattVersion;
  readonly open: boolean;
  readonly state: ClientState;
  readonly nonce: TagNonce;
  /** v2.1: ties the token to this session (32 bytes). */
  readonly channelBinding?: Bytes;
  /** v2.1: the tag's own certificate, DER. */
  readonly certificate?: Bytes;
  /** Replaces {@link nonce}. */
  refreshNonce(signal: AbortSignal): Promise<void>;
  /** Sends the token. Throws {@link TagError} `token_refused` with its status; a new nonce is then ready. */
  authorize(token: Bytes, signal: AbortSignal): Promise<void>;
  /** Writes, commits, and resolves when the tag says COMMITTED. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** What became of a commit on an earlier connection if its answer was lost. */
  outcomeOf(digest: Bytes, before: CommitMark): CommitOutcome;
  /** The tag's record of commits when this session began. */
  readonly mark: CommitMark;
  /** Ends session and connection. Idempotent. */
  close(): void;
}

/**
 * v2.1 counts commits and gives the last one's digest in full; v2.0 shows eight bytes of its digest in
 * STATUS.
 */
export interface CommitMark {
  readonly commits?: number;
  /** 32 bytes on v2.1, 8 on v2.0; absent where there was no commit. */
  readonly lastDigest?: Bytes;
}

export type CommitOutcome = "committed" | "unchanged" | "unknown";
