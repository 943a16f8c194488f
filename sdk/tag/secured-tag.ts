/**
 * A tag with an established session, whatever its generation. The transfer and clear flows know only this.
 */
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { TagStatement } from "../../core/sec/statement.ts";
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
   * Awaited before the last message is sent, the one that makes the tag change its display: from here on there
   * is no way back.
   */
  readonly onCommit: () => Promise<void>;
}

/** The tag's statement of its last commit, as it signed it; the service decides what it proves. */
export interface SignedStatement {
  readonly bytes: Bytes;
  readonly statement: TagStatement;
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
  /**
   * Token, payload, commit; resolves when the tag says COMMITTED. Throws {@link TagError} `token_refused` with its status:
   * then nothing has changed, and a new nonce is ready.
   */
  write(token: Bytes, delivery: Delivery, signal: AbortSignal): Promise<void>;
  /**
   * The tag's statement over `challenge` (16 bytes); without one, the receipt that follows COMMITTED. Undefined from a
   * tag that does not sign.
   */
  statement(signal: AbortSignal, challenge?: Bytes): Promise<SignedStatement | undefined>;
  /** The tag's last commit when this session began. */
  readonly lastCommit: LastCommit;
  /** Ends session and connection. Idempotent. */
  close(): void;
}

/** v2.1 counts commits and gives the last one's mark in full; v2.0 shows eight bytes of it in STATUS. */
export interface LastCommit {
  readonly commits?: number | undefined;
  /** 32 bytes on v2.1, 8 on v2.0; absent where there was no commit. */
  readonly mark?: Bytes;
}

export type CommitOutcome = "committed" | "unchanged" | "unknown";

/**
 * What became of a commit whose answer was lost, from what the tag says `now` and said `before` (protocol.md, After a dropped link). `mark`: 32
 * bytes, that of the commit concerned, which no other commit has.
 */
export function outcomeOf(now: LastCommit, mark: Bytes, before: LastCommit): CommitOutcome {
  const oneMore = now.commits === undefined || now.commits === (before.commits ?? 0) + 1;
  if (oneMore && now.mark !== undefined && equalBytes(now.mark, mark.slice(0, now.mark.length)))
    return "committed";
  if (now.commits !== undefined) return now.commits === before.commits ? "unchanged" : "unknown";
  return sameMark(now.mark, before.mark) ? "unchanged" : "unknown";
}

function sameMark(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}
