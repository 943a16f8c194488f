import { type Bytes, equalBytes, utf8 } from "../../core/encoding/bytes.ts";
import type { RequestContext } from "../context.ts";
import { hmac } from "../secrets/lookup-keys.ts";
import { lengthPrefixed } from "./cti.ts";

/**
 * The challenge of a presence statement (rules §5), which was made within the last ten minutes, for this caller, by a tag
 * with this very lock. It is an HMAC, so no row is stored for it.
 */

/** What a challenge is for. */
export interface Presence {
  /** Folded device id. */
  readonly deviceId: string;
  readonly sub: string;
  /** `requestId` of the live lock. */
  readonly lock: string;
}

const SLOT_SECONDS = 300;
const LENGTH = 16;

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
  return (await hmac(key, lengthPrefixed(parts))).slice(0, LENGTH);
}
