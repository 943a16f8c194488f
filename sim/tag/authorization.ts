import { decodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { type GattVersion, TAG_TIMER } from "../../core/gatt/profile.ts";
import type { VerifiedLeaf } from "../../core/pki/chain.ts";
import { SecError } from "../../core/sec/errors.ts";
import { commitMark } from "../../core/sec/statement.ts";
import type { TokenOperation } from "../../core/sec/token.ts";
import { checkToken } from "../../core/sec/token-check.ts";
import type { Firmware } from "./firmware.ts";
import type { Commit } from "./memory.ts";
import { TagRefusal } from "./refusal.ts";

/** What an accepted token allows, once, on this connection. */
export interface Grant {
  readonly payloadDigest: Bytes | undefined;
  readonly operation: TokenOperation | undefined;
  /** Of the token: what the tag will say of the commit. */
  readonly cti: Bytes;
  readonly nonce: Bytes;
}

export interface TokenContext {
  readonly path: GattVersion;
  readonly leaf: VerifiedLeaf;
  /** Absent on v2.0. */
  readonly channelBinding?: Bytes;
}

/** Longest payload a tag stages; §9's fields at their limits stay below it. */
export const LONGEST_PAYLOAD = 512;

/**
 * All checks of protocol.md, Transaction token. The nonce is burnt whatever the outcome.
 *
 * @throws SecError of the first check that failed
 */
export async function authorize(firmware: Firmware, token: Bytes, context: TokenContext): Promise<Grant> {
  try {
    const claims = await checkToken(token, {
      ...context,
      minimumVersion: firmware.versionMin,
      keys: firmware.tokenKeys,
      deviceId: firmware.config.id,
      takeNonce: () => firmware.nonce.burn(),
      nonceLifetime: TAG_TIMER.nonce,
      lastSeen: firmware.lastSeen,
    });
    firmware.lastSeen = Math.max(firmware.lastSeen, claims.iat);
    const { payloadDigest, operation, cti, nonce } = claims;
    return { payloadDigest, operation, cti, nonce };
  } finally {
    firmware.nonce.burn();
  }
}

/** Counts a refused token. If it was the third, throws the refusal that ends the session. */
export function countMiss(firmware: Firmware): void {
  if (firmware.lockout.miss()) throw new TagRefusal(new SecError("LOCKOUT"), "tokenRefusedLast");
}

/**
 * Checks that the token allows the staged bytes and that a display can show them. Nothing has changed before
 * this.
 *
 * @throws TagRefusal `LOW_BATTERY` · `DIGEST` (also for another operation) · `STORAGE` (not a payload)
 */
export async function checkPayload(
  firmware: Firmware,
  staged: Bytes,
  grant: Grant,
  announced?: Bytes,
): Promise<{ readonly payload: TicketPayload; readonly commit: Commit }> {
  if (firmware.lowBattery) throw refused("LOW_BATTERY");
  const digest = await payloadDigest(staged);
  for (const expected of [announced, grant.payloadDigest]) {
    if (expected !== undefined && !equalBytes(expected, digest)) throw refused("DIGEST");
  }
  const payload = decodePayload(staged);
  if (grant.operation !== undefined && grant.operation !== payload.kind) throw refused("DIGEST");
  const { cti, nonce } = grant;
  return { payload, commit: { digest, mark: await commitMark(nonce, digest), cti, operation: payload.kind } };
}

/** The refusal of a commit that was not authorized as it is. */
export function refused(code: "OFFSET" | "DIGEST" | "STORAGE" | "LOW_BATTERY"): TagRefusal {
  return new TagRefusal(new SecError(code), "commitRefused");
}
