/**
 * Fresh values for everything the Worker reads from its environment: for `.dev.vars` and for tests. Runs in Node and
 * in workerd alike.
 */
import { toBase64 } from "../../core/encoding/bytes.ts";
import { FEDERATED_ISSUER } from "../../db/demo/values.ts";
import {
  clientAuthority,
  privateJwk,
  type Random,
  secret,
  signingKeySet,
  systemRandom,
} from "./development-keys.ts";

/** Names and single-line values, as they stand in `.dev.vars`. A type, so that it is a record of bindings too. */
export type DevelopmentSecrets = {
  readonly ENVIRONMENT: "development";
  /** Private JWKS (JSON text), ES256, each key with a kid. */
  readonly ACCESS_TOKEN_KEYS: string;
  readonly TRANSACTION_TOKEN_KEYS: string;
  readonly AUDIT_SEAL_KEYS: string;
  /** Base64 of the DER. */
  readonly CA_ROOT_CERT: string;
  readonly CA_INTERMEDIATE_CERT: string;
  /** Private JWK (JSON text). */
  readonly CA_INTERMEDIATE_KEY: string;
  /** Base64url, 32 bytes each. */
  readonly REFRESH_KEY: string;
  /** Dated keys (`importDatedKeys` of worker/config/keys.ts). */
  readonly CTI_KEYS: string;
  readonly DATA_KEY: string;
  readonly PEPPER: string;
  readonly DEFAULT_CLIENT_ID: string;
  readonly PAGE_CLIENT_KEY: string;
  readonly KIOSK_CLIENT_KEY: string;
  readonly HANDOVER_ORIGINS: string;
};

/** Fresh secrets. `random(length)` gives the bytes that are not keys of WebCrypto; certificates begin at `now`. */
export async function developmentSecrets(
  random: Random = systemRandom,
  now: Date = new Date(),
): Promise<DevelopmentSecrets> {
  const { root, intermediate } = await clientAuthority(random, now);
  return {
    ENVIRONMENT: "development",
    // One that signs and the one after it, as a deployment between two changes has them.
    ACCESS_TOKEN_KEYS: await signingKeySet(2),
    TRANSACTION_TOKEN_KEYS: await signingKeySet(),
    AUDIT_SEAL_KEYS: await signingKeySet(),
    CA_ROOT_CERT: toBase64(root),
    CA_INTERMEDIATE_CERT: toBase64(intermediate.certificate),
    CA_INTERMEDIATE_KEY: JSON.stringify(await privateJwk(intermediate.privateKey)),
    REFRESH_KEY: secret(random),
    CTI_KEYS: `0.${secret(random)}`,
    DATA_KEY: secret(random),
    PEPPER: secret(random),
    DEFAULT_CLIENT_ID: "client-passenger",
    PAGE_CLIENT_KEY: "demo-passenger-key",
    KIOSK_CLIENT_KEY: "demo-kiosk-key",
    HANDOVER_ORIGINS: FEDERATED_ISSUER.issuer,
  };
}
