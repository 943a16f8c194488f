/**
 * Development secrets: everything the Worker reads from its environment, made fresh on this machine.
 * `developmentSecrets()` is what tests use too; run as a program it writes `.dev.vars` once.
 */

/** Names and single-line values, as they stand in `.dev.vars`. */
export interface DevelopmentSecrets {
	readonly ENVIRONMENT: "development";
	/** Private JWKS (JSON text), ES256, each with a kid. */
	readonly ACCESS_TOKEN_KEYS: string;
	readonly TRANSACTION_TOKEN_KEYS: string;
	/** Base64 DER. */
	readonly CA_INTERMEDIATE_CERT: string;
	/** Private JWK (JSON text). */
	readonly CA_INTERMEDIATE_KEY: string;
	/** Base64 DER. */
	readonly CA_ROOT_CERT: string;
	/** Base64url, 32 bytes each. */
	readonly REFRESH_KEY: string;
	readonly DATA_KEY: string;
	readonly PEPPER: string;
	readonly DEFAULT_CLIENT_ID: string;
	readonly PAGE_CLIENT_KEY: string;
	readonly KIOSK_CLIENT_KEY: string;
}

/** Fresh secrets; `random(length)` gives the bytes, `now` the time certificates begin. Pure apart from WebCrypto. */
export function developmentSecrets(
	_random?: (length: number) => Uint8Array<ArrayBuffer>,
	_now?: Date,
): Promise<DevelopmentSecrets> {
	throw new Error("not built yet");
}
