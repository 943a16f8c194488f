import type { InferSelectModel, SQL } from "drizzle-orm";
import type { JWTVerifyGetKey } from "jose";
import type { AuditedEvent, Scope } from "../core/api/index.ts";
import type { Bytes } from "../core/encoding/bytes.ts";
import type { clients, Evidence, LoginMethod, PublicKeyJwk } from "../db/schema.ts";
import type { Settings } from "./config/env.ts";
import type { Db } from "./database/connect.ts";
import type { Assets } from "./http/assets.ts";

/** An application that may call the service. */
export type Client = InferSelectModel<typeof clients> & {
  /** Web origins of its pages; `scheme://host:*` stands for every port. */
  readonly origins: readonly string[];
};

/** The caller: one live session. */
export interface Principal {
  /** Pseudonym of the person or staff account, stable per client. */
  readonly sub: string;
  readonly sessionId: string;
  readonly method: LoginMethod;
  readonly evidence: Evidence;
  /** What the session and its client both allow. */
  readonly scopes: readonly Scope[];
  /** B2B: acts for the airlines below and may load their journeys. */
  readonly staff: boolean;
  readonly airlines: readonly string[];
  /** The key endpoint 7 certifies; null for a session that proved none. */
  readonly key: PublicKeyJwk | null;
  /** SHA-256 of its SubjectPublicKeyInfo, base64url. */
  readonly keySpkiHash: string | null;
}

/** What an isolate caches beside the database: to save load; no decision relies on it. */
export interface IsolateCache {
  /** Read at most once a minute. */
  origins?: ListedOrigins;
  /** Of a minute each (auth/rate-limits.ts). */
  readonly returned: Map<string, Returned>;
  deliveries?: Deliveries;
  /** By first letter; the build's, so they last as long as the isolate (journeys/places.ts). */
  readonly cities: Map<string, CityFile>;
  /** The build's, too (journeys/places.ts). */
  ebtAirports?: EbtAirports;
}

/** By airline: the airports at which it accepts electronic tags. */
export type EbtAirports = Readonly<Record<string, readonly string[]>>;

/** What an isolate knows of deliveries by its requests (scheduled/webhooks-soon.ts); instants in milliseconds since 1970. */
export interface Deliveries {
  /** Whether there is a webhook, read at most once a minute. */
  hasListeners: boolean;
  readUntil: number;
  /** While a request of this isolate delivers. A later one does not rely on its end: it may have been killed. */
  busyUntil: number;
  /** Whether something has happened since its run began, or a webhook waits for its turn. */
  isNew: boolean;
}

/** The cities of the airports that begin with one letter: their names by language. */
export type CityFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The origins that enabled clients list, each with the hashes of those clients' keys. */
export interface ListedOrigins {
  readonly until: number;
  readonly keysOf: ReadonlyMap<string, readonly string[]>;
}

/** What refused requests have returned to a rate limit in its minute (auth/rate-limits.ts). */
export interface Returned {
  readonly until: number;
  count: number;
  unused: number;
}

/** The caller of a request, as far as the log line and the cross-origin rules use it. */
export interface Caller {
  /** The client whose key was sent. */
  readonly client: Client | undefined;
  readonly sessionId: string | undefined;
}

/** The platform's counters (rate-limits.ts); a deployment without one has no limit there. */
export interface RateLimits {
  readonly nonce: RateLimit | undefined;
  readonly login: RateLimit | undefined;
  readonly lookup: RateLimit | undefined;
  readonly feed: RateLimit | undefined;
  readonly read: RateLimit | undefined;
  readonly write: RateLimit | undefined;
  readonly hall: RateLimit | undefined;
  readonly holder: RateLimit | undefined;
}

/** Where an issuer's keys are. */
export interface KeySource {
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] } | null;
  readonly jwksUrl: string | null;
}

/** Finds the verification keys of a federated host at `now` (milliseconds). */
export type HostKeys = (source: KeySource, now: number) => JWTVerifyGetKey;

/** What every service function gets. Time and randomness come from here and nowhere else. */
export interface RequestContext {
  readonly db: Db;
  readonly settings: Settings;
  /** Milliseconds since 1970, the same for the whole request. */
  readonly now: number;
  readonly random: (length: number) => Bytes;
  /** Resolves after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly requestId: string;
  /** HMAC of the caller's /24 or /48, base64url. */
  readonly network: string;
  /** HMAC of the /32 of an IPv6 address, base64url: a provider's range. IPv4 has none. */
  readonly carrier: string | undefined;
  /** Headers that the answer carries besides the route's own, success or not. */
  readonly answerHeaders: Map<string, string>;
  /** Keys of federated hosts. */
  readonly hostKeys: HostKeys;
  readonly rateLimits: RateLimits;
  readonly outcomeCounts: AnalyticsEngineDataset | undefined;
  readonly isolate: IsolateCache;
  /** Counters of the hall that this request has raised: returned if it is refused (auth/rate-limits.ts). */
  readonly entered: Set<"hall" | "holder">;
  /** The events that this request has written, or may have: webhooks are sent those of bags. */
  readonly happened: Set<AuditedEvent | SQL>;
  /** Work for after the answer: no caller waits for it, and no answer depends on it. */
  readonly afterwards: (() => Promise<void>)[];
  /** Files of the build; absent in a deployment without the page. */
  readonly assets: Assets | undefined;
  /** Sends requests to other services. */
  readonly fetcher: typeof fetch;
  /** The counters that failed during this request, and how: for its log line. */
  readonly uncounted: Map<keyof RateLimits, unknown>;
  /** Optional parts of the request's data that could not be read and were dropped, in our words: for its log line. */
  readonly unread: Set<string>;
}

/** Logins: the client whose rules apply. */
export interface LoginContext extends RequestContext {
  readonly client: Client;
  /** False where the default client is used because no key was sent. */
  readonly clientNamed: boolean;
  /** The DPoP proof that came with the login, if any. */
  readonly proof: VerifiedProof | undefined;
}

/** Refresh: a client key is checked if it was sent. */
export interface RefreshContext extends RequestContext {
  readonly client: Client | undefined;
  readonly proof: VerifiedProof | undefined;
}

/** The caller for whom rows are read, before or after their session is. */
export interface Reader extends Pick<RequestContext, "db" | "now"> {
  readonly principal: Pick<Principal, "sub" | "staff">;
}

/** Endpoints behind an access token. */
export interface BearerContext extends RequestContext {
  readonly client: Client;
  readonly principal: Principal;
  /** The DPoP proof of a request that may be repeated where it changes nothing. */
  readonly proof?: VerifiedProof | undefined;
  /** What the endpoint has read with the authentication (http/read-first.ts). */
  readonly firstRead?: unknown;
}

/** A DPoP proof that verified; recording what is `once` of it makes it single use. */
export interface VerifiedProof {
  readonly key: PublicKeyJwk;
  readonly jkt: string;
  /** A row of `used_once`. */
  readonly once: { readonly endsAt: number; readonly hash: string };
}
