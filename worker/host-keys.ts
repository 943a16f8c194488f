import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from "jose";

/** Where an issuer's keys are. */
export interface KeySource {
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] } | null;
  readonly jwksUrl: string | null;
}

/** Finds the verification keys of a federated host. */
export type HostKeys = (source: KeySource) => JWTVerifyGetKey | undefined;

/** Keys given inline are used as they are; those behind a URL are fetched when needed and kept, per application. */
export function createHostKeys(fetcher: typeof fetch): HostKeys {
  const remote = new Map<string, JWTVerifyGetKey>();
  return ({ jwks, jwksUrl }) => {
    if (jwks !== null) return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
    if (jwksUrl === null) return undefined;
    const known = remote.get(jwksUrl);
    if (known !== undefined) return known;
    const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000, [customFetch]: fetcher });
    remote.set(jwksUrl, keys);
    return keys;
  };
}
