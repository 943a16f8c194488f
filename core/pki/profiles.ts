/**
 * What our certificates look like (protocol.md, Credentials, rules §7): extended key usages, lifetimes, path lengths.
 * Client and tag have roots *and* usages of their own, so neither side's key can play the other.
 */

/** Private enterprise arc of the product: a placeholder until one is registered, replaced in this one place. */
const ARC = "1.3.6.1.4.1.99999.1";

/** Extended key usage of a client leaf: may open a session as Initiator. */
export const EKU_CLIENT = `${ARC}.1`;
/** Extended key usage of a tag leaf: may answer a session as Responder. */
export const EKU_TAG = `${ARC}.2`;

/** TLS client authentication (RFC 5280 §4.2.1.12), which client leaves carry beside {@link EKU_CLIENT}. */
export const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

export type LeafUsage = typeof EKU_CLIENT | typeof EKU_TAG;

/** Every extended key usage of a leaf: exactly these, no more. */
export const LEAF_USAGES = {
  [EKU_CLIENT]: [CLIENT_AUTH, EKU_CLIENT],
  [EKU_TAG]: [EKU_TAG],
} as const satisfies Record<LeafUsage, readonly string[]>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Lifetimes in milliseconds. */
export const VALIDITY = {
  /** Every certificate begins a day in the past, for tags and phones whose clocks are slow. */
  backdate: DAY,
  clientLeaf: 7 * DAY,
  intermediate: 5 * 365 * DAY,
  root: 20 * 365 * DAY,
} as const;

/** "No well-defined expiration" (RFC 5280 §4.1.2.5): a tag outlives every calendar we could give it. */
export const NO_EXPIRY = new Date(Date.UTC(9999, 11, 31, 23, 59, 59));

/** Certificates a peer may send, and the longest of them; more is not ours and not worth parsing. */
export const CHAIN_LIMIT = { certificates: 3, bytes: 2048 } as const;
