import { type Bytes, concat, equalBytes, utf8 } from "../../core/encoding/bytes.ts";
import type { DatedKey } from "../config/keys.ts";
import type { RequestContext } from "../context.ts";
import { hmac } from "../secrets/sealed.ts";

/** Two values under CTI_KEYS that a tag repeats in its statement. Neither has a row: the key recognizes it. */

/**
 * The `cti` of a transaction token (rules §5): its requester and time, never its purpose. 8 bytes: the time (seconds
 * since 1970, big endian), then 4 bytes of an HMAC over tag, person and time. The tag repeats it in its statement, so the
 * service recognizes its writer without a row for the token.
 */

/** Whom a `cti` is about: the folded device id, and the caller's pseudonym. */
interface CtiSubject {
  readonly deviceId: string;
  readonly sub: string;
}

const LENGTH = 8;
const TIME_LENGTH = 4;

/** A `cti` for a token issued at `iat` (seconds since 1970). Throws TypeError if every key is of a later time. */
export async function mintCti(keys: readonly DatedKey[], subject: CtiSubject, iat: number): Promise<Bytes> {
  const key = keyAt(keys, iat);
  if (key === undefined) throw new TypeError("CTI_KEYS begin in the future");
  return concat(uint32(iat), await tagOf(key, subject, iat));
}

/** When the token of `cti` was issued, seconds since 1970. */
export const issuedAt = (cti: Bytes): number => new DataView(cti.buffer, cti.byteOffset, LENGTH).getUint32(0);

/** Whether the key that made `cti` is still configured. Without it, a `cti` decides nothing. */
export const isKeyConfigured = (keys: readonly DatedKey[], cti: Bytes): boolean =>
  keyAt(keys, issuedAt(cti)) !== undefined;

/** Whether `cti` was made for `subject`. */
export async function opensFor(keys: readonly DatedKey[], cti: Bytes, subject: CtiSubject): Promise<boolean> {
  if (cti.length !== LENGTH) return false;
  const iat = issuedAt(cti);
  const key = keyAt(keys, iat);
  return key !== undefined && equalBytes(cti.subarray(TIME_LENGTH), await tagOf(key, subject, iat));
}

const keyAt = (keys: readonly DatedKey[], iat: number): CryptoKey | undefined =>
  keys.find(({ since }) => since <= iat)?.key;

async function tagOf(key: CryptoKey, { deviceId, sub }: CtiSubject, iat: number): Promise<Bytes> {
  const parts = [utf8("cti"), utf8(deviceId), utf8(sub), uint32(iat)];
  return (await hmac(key, lengthPrefixed(parts))).slice(0, LENGTH - TIME_LENGTH);
}

/** Each part with its length (4 bytes, big endian) before it: no two lists give the same bytes. */
export const lengthPrefixed = (parts: readonly Bytes[]): Bytes =>
  concat(...parts.flatMap((part) => [uint32(part.length), part]));

/** A number as 4 bytes, big endian. */
function uint32(value: number): Bytes {
  const bytes = new Uint8Array(TIME_LENGTH);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/**
 * The challenge of a presence statement (rules §5), which was made within the last ten minutes, for this caller, by a tag
 * with this very lock. It is an HMAC, so no row is stored for it.
 */

/** What a challenge is for. */
interface Presence {
  /** Folded device id. */
  readonly deviceId: string;
  readonly sub: string;
  /** `requestId` of the live lock. */
  readonly lock: string;
}

const SLOT_SECONDS = 300;
const CHALLENGE_LENGTH = 16;

/** The challenge to give out now: 16 bytes. */
export const challengeFor = (ctx: RequestContext, presence: Presence): Promise<Bytes> =>
  challengeOf(ctx, presence, slotOf(ctx));

/** Whether `challenge` is ours for `presence`, of this slot or the one before. */
export async function isChallengeFor(
  ctx: RequestContext,
  presence: Presence,
  challenge: Bytes,
): Promise<boolean> {
  const slot = slotOf(ctx);
  const ours = await Promise.all([slot, slot - 1].map((one) => challengeOf(ctx, presence, one)));
  return ours.some((one) => equalBytes(one, challenge));
}

const slotOf = ({ now }: RequestContext) => Math.floor(now / 1_000 / SLOT_SECONDS);

async function challengeOf(
  { settings }: RequestContext,
  { deviceId, sub, lock }: Presence,
  slot: number,
): Promise<Bytes> {
  const key = settings.ctiKeys[0]?.key;
  if (key === undefined) throw new TypeError("no key");
  const parts = ["presence", deviceId, sub, lock, String(slot)].map(utf8);
  return (await hmac(key, lengthPrefixed(parts))).slice(0, CHALLENGE_LENGTH);
}
