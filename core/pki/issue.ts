import type { Bytes } from "../bytes.ts";

/** A CA that can sign: its certificate (DER) and its private key (ECDSA P-256, usage `sign`). */
export interface Issuer {
	readonly certificate: Bytes;
	readonly privateKey: CryptoKey;
}

/** What every certificate needs. `serial` is 16 random bytes: randomness is the caller's. */
export interface CaRequest {
	readonly commonName: string;
	readonly serial: Bytes;
	readonly notBefore: Date;
	readonly notAfter: Date;
}

/** Self-signed operator root; may have one intermediate below it. */
export function createRoot(
	_request: CaRequest & { readonly keys: CryptoKeyPair },
): Promise<Bytes> {
	throw new Error("not built yet");
}

/** Self-signed tag CA that issues device leaves itself (path length 0). */
export function createTagCa(
	_request: CaRequest & { readonly keys: CryptoKeyPair },
): Promise<Bytes> {
	throw new Error("not built yet");
}

/** Intermediate of path length 0, never outliving its issuer. */
export function createIntermediate(
	_request: CaRequest & {
		readonly issuer: Issuer;
		readonly publicKey: CryptoKey;
	},
): Promise<Bytes> {
	throw new Error("not built yet");
}

/**
 * Client leaf (decisions §7): 7 days from `now` (backdated by 5 minutes), never outliving the issuer.
 *
 * @throws IssueError `issuer_expired` when the issuer is not valid at `now`
 */
export function issueClientLeaf(_request: {
	readonly issuer: Issuer;
	/** Pseudonym, no personal data. */
	readonly commonName: string;
	readonly publicKey: CryptoKey;
	readonly serial: Bytes;
	readonly now: Date;
}): Promise<Bytes> {
	throw new Error("not built yet");
}

/** Tag leaf: subject attribute serialNumber = device id byte for byte, without expiry. */
export function issueTagLeaf(_request: {
	readonly issuer: Issuer;
	readonly deviceId: string;
	readonly publicKey: CryptoKey;
	readonly serial: Bytes;
	readonly notBefore: Date;
}): Promise<Bytes> {
	throw new Error("not built yet");
}
