import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Limits } from "../../core/api/index.ts";
import { concat, fromUtf8 } from "../../core/encoding/bytes.ts";
import type { Settings } from "../config/env.ts";
import type { HostKeys } from "../context.ts";

/**
 * Keys of federated hosts (rules §3). Keys behind a URL are fetched when they are needed, then kept. Callers
 * choose the `kid`, so an unknown one causes a fetch only now and then. While a host is down, the keys it had
 * stay valid for a time.
 */

/** There is no key to judge a token by: the host cannot be reached, and no known key is recent enough. */
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
  /** Whether a host on this machine may be asked without TLS. */
  readonly allowsLoopback: boolean;
}

/** The rules of a deployment: always TLS, except for hosts on a developer's machine. */
export const hostKeyRules = ({ limits, environment }: Settings) => ({
  limits,
  allowsLoopback: environment === "development",
});

/** What is known of one URL. */
interface Kept {
  keys: JWTVerifyGetKey | undefined;
  fetchedAt: number;
  triedAt: number;
  /** The fetch under way; whoever comes meanwhile waits for it, each with their own time limit. */
  pending: Promise<void> | undefined;
  /** Why the last fetch failed. */
  failure: unknown;
}

/** Keys given inline are used as they are; those behind a URL are kept per application. */
export function createHostKeys(options: HostKeysOptions): HostKeys {
  const known = new Map<string, Kept>();
  return ({ jwks, jwksUrl }, now) => {
    if (jwks !== null) return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
    if (jwksUrl === null) throw new HostKeysUnavailable("neither keys nor URL");
    const kept = known.get(jwksUrl) ?? {
      keys: undefined,
      fetchedAt: 0,
      triedAt: -Infinity,
      pending: undefined,
      failure: undefined,
    };
    known.set(jwksUrl, kept);
    return keysBehind(options, jwksUrl, kept, now);
  };
}

function keysBehind(options: HostKeysOptions, url: string, kept: Kept, now: number): JWTVerifyGetKey {
  const { hostKeysFreshSeconds, hostKeysStaleSeconds } = options.limits;
  return async (header, token) => {
    const age = now - kept.fetchedAt;
    const isFresh = kept.keys !== undefined && age < hostKeysFreshSeconds * 1_000;
    if (!isFresh) await refetch(options, url, kept, now);
    const { keys } = kept;
    if (keys === undefined || now - kept.fetchedAt >= hostKeysStaleSeconds * 1_000)
      throw new HostKeysUnavailable("no recent keys", { cause: kept.failure });
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await refetch(options, url, kept, now)))
        throw error;
      return (kept.keys ?? keys)(header, token);
    }
  };
}

/** Asks the host again unless it was asked a moment ago. Returns whether the keys have changed. */
async function refetch(options: HostKeysOptions, url: string, kept: Kept, now: number): Promise<boolean> {
  const { hostKeysCooldownSeconds, hostKeysTimeoutMilliseconds } = options.limits;
  const before = kept.keys;
  if (kept.pending === undefined) {
    if (now - kept.triedAt < hostKeysCooldownSeconds * 1_000) return false;
    kept.triedAt = now;
    kept.pending = renew(options, url, kept, now);
  }
  // A fetch belongs to the request that began it and dies with it: nobody waits longer than a fetch may take.
  const { pending } = kept;
  let timer: number | null = null;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, hostKeysTimeoutMilliseconds + 500, "late");
  });
  const outcome = await Promise.race([pending, late]);
  clearTimeout(timer);
  if (outcome === "late" && kept.pending === pending) kept.pending = undefined;
  return kept.keys !== before;
}

/** Puts the keys behind `url` into `kept`, or the reason why there are none. Never rejects. */
async function renew(options: HostKeysOptions, url: string, kept: Kept, now: number): Promise<void> {
  try {
    kept.keys = await fetchKeys(options, url);
    kept.fetchedAt = now;
    kept.failure = undefined;
  } catch (error) {
    kept.failure = error;
  }
  kept.pending = undefined;
}

/**
 * The key set behind `url`; all of it is checked before any of it is used. Throws
 * {@link HostKeysUnavailable}.
 */
async function fetchKeys(options: HostKeysOptions, url: string): Promise<JWTVerifyGetKey> {
  const { fetcher, limits } = options;
  if (!isAllowed(url, options.allowsLoopback)) throw new HostKeysUnavailable("not https");
  const signal = AbortSignal.timeout(limits.hostKeysTimeoutMilliseconds);
  // A redirect would let the answering server choose another host.
  const answer = await fetcher(url, { signal, redirect: "manual", headers: { Accept: "application/json" } });
  if (answer.status !== 200) throw new HostKeysUnavailable(`status ${answer.status}`);
  const jwks: unknown = JSON.parse(await readCapped(answer, limits.hostKeysBytes));
  if (typeof jwks !== "object" || jwks === null || !("keys" in jwks) || !Array.isArray(jwks.keys))
    throw new HostKeysUnavailable("no key set");
  return createLocalJWKSet({ keys: jwks.keys.filter(isPublicKey) });
}

/** `https:`, or a host on this machine where that is allowed. */
function isAllowed(url: string, allowsLoopback: boolean): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (allowsLoopback && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

async function readCapped(answer: Response, limit: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > limit) throw new HostKeysUnavailable("too large");
    parts.push(part);
  }
  return fromUtf8(concat(...parts));
}

/** Symmetric keys and private ones have no place in a published set. */
const isPublicKey = (jwk: unknown) =>
  typeof jwk === "object" &&
  jwk !== null &&
  "kty" in jwk &&
  ["EC", "RSA", "OKP"].includes(String(jwk.kty)) &&
  !("d" in jwk);
