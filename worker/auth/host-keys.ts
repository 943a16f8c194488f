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

type Keys = ReturnType<typeof createLocalJWKSet>;

/** What is known of one URL. */
interface Kept {
  keys?: Keys;
  fetchedAt: number;
  triedAt: number;
  /** The fetch under way; whoever comes meanwhile waits for it, with a time limit of their own. */
  pending?: Promise<void> | undefined;
  /** Why the last fetch failed. */
  failure?: unknown;
}

/** Keys given inline are used as they are; those behind a URL are kept per application. */
export function createHostKeys(options: HostKeysOptions): HostKeys {
  const known = new Map<string, Kept>();
  return ({ jwks, jwksUrl }, now) => {
    if (jwks !== null) return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
    if (jwksUrl === null) throw new HostKeysUnavailable("neither keys nor URL");
    const kept = known.get(jwksUrl) ?? { fetchedAt: -Infinity, triedAt: -Infinity };
    known.set(jwksUrl, kept);
    return keysBehind(options, jwksUrl, kept, now);
  };
}

function keysBehind(options: HostKeysOptions, url: string, kept: Kept, now: number): JWTVerifyGetKey {
  const { hostKeysFreshSeconds, hostKeysStaleSeconds } = options.limits;
  return async (header) => {
    if (now - kept.fetchedAt >= hostKeysFreshSeconds * 1_000) await refetch(options, url, kept, now);
    if (kept.keys === undefined || now - kept.fetchedAt >= hostKeysStaleSeconds * 1_000)
      throw new HostKeysUnavailable("no recent keys", { cause: kept.failure });
    try {
      return await kept.keys(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refetch(options, url, kept, now);
      return kept.keys(header);
    }
  };
}

/** Asks the host again unless it was asked a moment ago. */
async function refetch(options: HostKeysOptions, url: string, kept: Kept, now: number): Promise<void> {
  const { hostKeysCooldownSeconds, hostKeysTimeoutMilliseconds } = options.limits;
  if (kept.pending === undefined) {
    if (now - kept.triedAt < hostKeysCooldownSeconds * 1_000) return;
    kept.triedAt = now;
    kept.pending = renew(options, url, kept, now);
  }
  // A fetch belongs to the request that began it and dies with it: nobody waits longer than a fetch may take.
  const { pending } = kept;
  let timer: number | null = null;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, hostKeysTimeoutMilliseconds + 500);
  });
  await Promise.race([pending, late]);
  clearTimeout(timer);
  if (kept.pending === pending) kept.pending = undefined;
}

/** Puts the keys behind `url` into `kept`, or the reason why there are none. Never rejects. */
async function renew(options: HostKeysOptions, url: string, kept: Kept, now: number): Promise<void> {
  try {
    kept.keys = await fetchKeys(options, url);
    kept.fetchedAt = now;
  } catch (error) {
    kept.failure = error;
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
  const text = await readCapped(answer, limits.hostKeysBytes);
  const { keys } = Object(JSON.parse(text)) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new HostKeysUnavailable("no key set");
  return createLocalJWKSet({ keys: keys.filter(isPublicKey) });
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
function isPublicKey(jwk: unknown): boolean {
  const { kty, d } = Object(jwk) as { readonly kty?: unknown; readonly d?: unknown };
  return ["EC", "RSA", "OKP"].includes(String(kty)) && d === undefined;
}
