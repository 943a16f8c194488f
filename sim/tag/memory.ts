import type { LabelPayload } from "../../core/bag/payload.ts";
import { type Bytes, fromHex, toHex } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { TokenOperation } from "../../core/sec/token.ts";

/** What the display was changed to last, and by which token: kept without power, for the tag's statement. */
export interface Commit {
  /** SHA-256 of the payload. */
  readonly digest: Bytes;
  /** SHA-256(nonce ‖ digest): this leaves the tag, the digest does not. */
  readonly mark: Bytes;
  readonly cti: Bytes;
  readonly operation: TokenOperation;
}

/** The client intermediate that the tag knows, so that the next message_3 can leave it out. */
export interface KnownIntermediate {
  readonly certificate: Bytes;
  /** First 8 bytes of SHA-256 of it, as INFO shows them. */
  readonly hash: Bytes;
}

/**
 * What a tag keeps without power, as plain data (protocol.md, States of the tag and Statement). Sessions, nonces
 * and keys of sessions are not in it: they end with the power.
 */
export interface TagMemory {
  readonly commits: number;
  /** Bytes in hex. */
  readonly last: {
    readonly digest: string;
    readonly mark: string;
    readonly cti: string;
    readonly operation: TokenOperation;
  } | null;
  /** Bytes in hex. */
  readonly intermediate: { readonly certificate: string; readonly hash: string } | null;
  readonly versionMin: GattVersion;
  /** Latest `iat` of an accepted token, in seconds. */
  readonly lastSeen: number;
  readonly label: LabelPayload | null;
  readonly lockout: LockoutMemory;
}

export interface LockoutMemory {
  readonly misses: number;
  /** Milliseconds of the next lockout. */
  readonly next: number;
  /** Milliseconds of the one that runs, 0 where none does: without a clock it begins again. */
  readonly running: number;
}

export const keptCommit = (commit: Commit | null): TagMemory["last"] =>
  commit && {
    digest: toHex(commit.digest),
    mark: toHex(commit.mark),
    cti: toHex(commit.cti),
    operation: commit.operation,
  };

export const commitKept = (kept: TagMemory["last"]): Commit | null =>
  kept && {
    digest: fromHex(kept.digest),
    mark: fromHex(kept.mark),
    cti: fromHex(kept.cti),
    operation: kept.operation,
  };

export const keptIntermediate = (known: KnownIntermediate | undefined): TagMemory["intermediate"] =>
  known === undefined ? null : { certificate: toHex(known.certificate), hash: toHex(known.hash) };

export const intermediateKept = (kept: TagMemory["intermediate"]): KnownIntermediate | undefined =>
  kept === null ? undefined : { certificate: fromHex(kept.certificate), hash: fromHex(kept.hash) };
