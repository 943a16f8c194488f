import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Limits } from "../../core/api/index.ts";
import { fromUtf8 } from "../../core/encoding/bytes.ts";
import type { Settings } from "../config/env.ts";
import type { HostKeys } from "../context.ts";
import { readCapped } from "../http/request.ts";

/**
 * Keys of federated hosts (rules §3). Keys behind a URL are fetched when they are needed, then cached. Callers
 * choose the `kid`, so an unknown one causes a fetch only now and then. While a host is down, the keys it had
 * stay valid for a time.
 */

/** There is no key to verify a token with: the host cannot be reached, and no cached key is recent enough. */
export class HostKeysUnavailable extends Error {
  override readonly name = "HostKeysUnavailable";
}

/** How the keys are fetched, and by which rules. */
export interface HostKeysOptions {
  readonly fetcher: typeof fetch;
  readonly limits: Pick<
    Limits,
    | "hostKeysFreshSeconds"
    | "hostKeysStaleSeconds"
    | "hostKeysCooldownSeconds"
    | "hostKeysBytes"
    | "hostKeysTimeoutMilliseconds"
  >;
  /** Whether a host on this machine may be fetched without TLS. */
  readonly allowsLoopback: boolean;
}

/** The rules of a deployment: always TLS, except for hosts on a developer's machine. */
export const hostKeyRules = ({ limits, environment }: Settings) => ({
  limits,
  allowsLoopback: environment === "development",
});

type Keys = ReturnType<typeof createLocalJWKSet>;

/** The keys of one URL. */
interface CachedKeys {
  keys?: Keys;
  fetchedAt: number;
  triedAt: number;
  /** The fetch under way, which later requests share, each with its own time limit. */
  pending?: Promise<void> | undefined;
  /** Why the last fetch failed. */
  failure?: unknown;
}

/** Keys given inline are used as they are; those behind a URL are cached per application. */
export function createHostKeys(options: HostKeysOptions): HostKeys {
  const cache = new Map<string, CachedKeys>();
  return ({ jwks, jwksUrl }, now) => {
    if (jwks !== null) return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
    if (jwksUrl === null) throw new HostKeysUnavailable("neither keys nor URL");
    const cached = cache.get(jwksUrl) ?? { fetchedAt: -Infinity, triedAt: -Infinity };
    cache.set(jwksUrl, cached);
    return keysBehind(options, jwksUrl, cached, now);
  };
}

function keysBehind(options: HostKeysOptions, url: string, cached: CachedKeys, now: number): JWTVerifyGetKey {
  const { hostKeysFreshSeconds, hostKeysStaleSeconds } = options.limits;
  return async (header) => {
    if (now - cached.fetchedAt >= hostKeysFreshSeconds * 1_000) await refetch(options, url, cached, now);
    if (cached.keys === undefined || now - cached.fetchedAt >= hostKeysStaleSeconds * 1_000)
      throw new HostKeysUnavailable("no recent keys", { cause: cached.failure });
    try {
      return await cached.keys(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refetch(options, url, cached, now);
      return cached.keys(header);
    }
  };
}

/** Asks the host again unless it was asked a moment ago. */
async function refetch(
  options: HostKeysOptions,
  url: string,
  cached: CachedKeys,
  now: number,
): Promise<void> {
  const { hostKeysCooldownSeconds, hostKeysTimeoutMilliseconds } = options.limits;
  if (cached.pending === undefined) {
    if (now - cached.triedAt < hostKeysCooldownSeconds * 1_000) return;
    cached.triedAt = now;
    cached.pending = renew(options, url, cached, now);
  }
  // A fetch dies with the request that began it: no other request waits longer than a fetch may take.
  const { pending } = cached;
  let timer: number | null = null;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, hostKeysTimeoutMilliseconds + 500);
  });
  await Promise.race([pending, timeout]);
  clearTimeout(timer);
  if (cached.pending === pending) cached.pending = undefined;
}

/** Puts the keys behind `url` into `cached`, or the reason why there are none. Never rejects. */
async function renew(options: HostKeysOptions, url: string, cached: CachedKeys, now: number): Promise<void> {
  try {
    cached.keys = await fetchKeys(options, url);
    cached.fetchedAt = now;
  } catch (error) {
    cached.failure = error;
  }
}

/** The key set behind `url`; all of it is checked before any of it is used. Throws {@link HostKeysUnavailable}. */
async function fetchKeys(options: HostKeysOptions, url: string): Promise<Keys> {
  const { fetcher, limits } = options;
  if (!isAllowed(url, options.allowsLoopback)) throw new HostKeysUnavailable("not https");
  const signal = AbortSignal.timeout(limits.hostKeysTimeoutMilliseconds);
  // A redirect would let the answering server choose another host.
  const answer = await fetcher(url, { signal, redirect: "manual", headers: { Accept: "application/json" } });
  if (answer.status !== 200) throw new HostKeysUnavailable(`status ${answer.status}`);
  const body = await readCapped(answer, limits.hostKeysBytes);
  if (body === undefined) throw new HostKeysUnavailable("too large");
  const { keys } = Object(JSON.parse(fromUtf8(body))) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new HostKeysUnavailable("no key set");
  return createLocalJWKSet({ keys: keys.filter(isPublicKey) });
}

/** `https:`, or a host on this machine where that is allowed. */
function isAllowed(url: string, allowsLoopback: boolean): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (allowsLoopback && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

/** Symmetric keys and private ones have no place in a published set. */
function isPublicKey(jwk: unknown): boolean {
  const { kty, d } = Object(jwk) as { readonly kty?: unknown; readonly d?: unknown };
  return ["EC", "RSA", "OKP"].includes(String(kty)) && d === undefined;
}
