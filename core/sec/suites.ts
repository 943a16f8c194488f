/**
 * The cipher suites as rows of one table (RFC 9528 §3.6). Nothing outside this table and the files it points to
 * names an algorithm.
 */
import { AES_GCM_16, type Aead, aesCcm } from "./aead.ts";
import { type Ecdh, P256, X25519 } from "./ecdh.ts";
import { type Hash, SHA_256 } from "./hash.ts";
import { ED25519, ES256, type SignatureScheme } from "./signature.ts";

/** The suites this code speaks, by their number in the EDHOC registry. */
export type SuiteId = 0 | 2 | 3 | 6;

export interface Suite {
  readonly id: SuiteId;
  /** The EDHOC AEAD, which also protects the records of the channel. */
  readonly aead: Aead;
  readonly hash: Hash;
  readonly ecdh: Ecdh;
  readonly signature: SignatureScheme;
}

export const SUITES: Readonly<Record<SuiteId, Suite>> = {
  0: {
    id: 0,
    aead: aesCcm(8),
    hash: SHA_256,
    ecdh: X25519,
    signature: ED25519,
  },
  2: { id: 2, aead: aesCcm(8), hash: SHA_256, ecdh: P256, signature: ES256 },
  3: { id: 3, aead: aesCcm(16), hash: SHA_256, ecdh: P256, signature: ES256 },
  6: { id: 6, aead: AES_GCM_16, hash: SHA_256, ecdh: X25519, signature: ES256 },
};

/** What products offer and accept, in order of preference. 0 and 2 exist for the verification of traces only. */
export const PRODUCTION_SUITES: readonly SuiteId[] = [6, 3];

/** The row of a suite number from the air, or undefined where there is none. */
export function suiteOf(id: number): Suite | undefined {
  return Object.hasOwn(SUITES, id) ? SUITES[id as SuiteId] : undefined;
}

/**
 * SUITES_I for the next message_1, the **last** entry being the selected one: the best of `preference` that is in
 * `suitesR`, preceded by everything we prefer to it (RFC 9528 §6.3). With no `suitesR` yet: the first preference
 * alone. Undefined where nothing is common, or where the answer contradicts itself by naming a suite that was
 * selected in `refused`: then give up, never fall back to anything weaker.
 */
export function nextSuites(
  suitesR?: readonly number[],
  refused: readonly SuiteId[] = [],
  preference: readonly SuiteId[] = PRODUCTION_SUITES,
): readonly SuiteId[] | undefined {
  if (suitesR === undefined) return preference.slice(0, 1);
  const at = preference.findIndex((id) => suitesR.includes(id));
  const selected = preference[at];
  if (selected === undefined || refused.includes(selected)) return undefined;
  return preference.slice(0, at + 1);
}
