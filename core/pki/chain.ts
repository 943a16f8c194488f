import type { Bytes } from "../bytes.ts";
import type { LeafUsage } from "./profiles.ts";

export interface ChainCheck {
	/** DER certificates as received, leaf first; the anchor may be left out or sent along. */
	readonly chain: readonly Bytes[];
	/** Pinned CA certificates (DER). Without any, every chain is refused. */
	readonly anchors: readonly Bytes[];
	/** The role the leaf must have; its extended key usages are exactly that role's. */
	readonly eku: LeafUsage;
	/** When given, every certificate of the path must be valid then. A tag has no clock and leaves it out. */
	readonly at?: Date;
}

/** What a verified leaf says about itself. */
export interface VerifiedLeaf {
	/** ECDSA P-256, usage `verify`, extractable. */
	readonly publicKey: CryptoKey;
	/** SubjectPublicKeyInfo (DER) exactly as in the certificate. */
	readonly spki: Bytes;
	/** Subject attribute serialNumber (2.5.4.5): the device id of a tag. */
	readonly subjectSerialNumber?: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
	/** The certificate's own serial number, lower-case hexadecimal without leading zero bytes. */
	readonly serial: string;
}

/**
 * Verifies a certificate chain against pinned anchors (sec.md §3; a subset of RFC 5280 §6 for our profiles).
 *
 * @throws SecError `CHAIN` · `EKU` (usages are not exactly the role's) · `CRED_TIME` (not valid at `at`)
 */
export function verifyChain(_check: ChainCheck): Promise<VerifiedLeaf> {
	throw new Error("not built yet");
}
