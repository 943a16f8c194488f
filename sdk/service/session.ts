/**
 * Our session at the service. It is opened automatically as a guest, renewed with the refresh token, and over
 * for good when neither works. One refresh runs at a time, however many callers need it.
 */
import type { AnswerOf, CallName, LoginResponse, RequestOf } from "../../core/api/index.ts";
import { type Bytes, fromBase64Url, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { orCancelled } from "../abort.ts";
import { ServiceError } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import type { SessionRecord, TaglatchStorage } from "../storage.ts";
import type { LoginMethod, SessionState, TransactionTokenRequest } from "../types.ts";
import type { AppKey, CallOptions, Http, PublicJwk } from "./http.ts";

/** The app's key. */
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A token this close to its end (milliseconds) is renewed before it is used. */
const MARGIN = 30_000;

/** How long (milliseconds) a session that was read is good for calls: the calls of one transfer read it once. */
const RECENT = 10_000;

type LoginEndpoint = "federatedSession" | "attestationSession" | "guestSession" | "b2bSession";

/** What a call needs. */
export interface Grant {
  readonly accessToken: string;
  readonly key: AppKey;
}

/** A login that needs no person. */
export interface OwnLogin {
  /** Of sessions that it continues once they have ended. */
  readonly methods: readonly LoginMethod[];
  open(session: Session, signal: AbortSignal): Promise<SessionRecord>;
}

export interface SessionOptions {
  readonly http: Http;
  readonly records: SessionRecords;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Opens a session if there is none; absent where a person must sign in. */
  readonly loginByItself: OwnLogin | undefined;
}

export class Session {
  readonly #options: SessionOptions;
  /** Cancels the shared work at log-out, when no call needs it any more. */
  #life = new AbortController();
  #key: Promise<AppKey> | undefined;
  #renewal: Promise<SessionRecord> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  key(): Promise<AppKey> {
    this.#key ??= this.#options.records.key();
    this.#key.catch(() => {
      this.#key = undefined;
    });
    return this.#key;
  }

  /**
   * A usable access token, renewed first if it is about to expire. Throws ServiceError, ConfigurationError.
   */
  async grant(signal: AbortSignal): Promise<Grant> {
    const [key, record] = await orCancelled(
      signal,
      Promise.all([this.key(), this.#options.records.recent()]),
    );
    const { accessToken, accessExpiresAt = 0 } = record ?? {};
    if (accessToken !== undefined && accessExpiresAt - MARGIN > this.#options.now())
      return { accessToken, key };
    return this.renew(accessToken, signal);
  }

  /** A new access token after the service refused `stale`, unless another call has renewed it since. */
  async renew(stale: string | undefined, signal: AbortSignal): Promise<Grant> {
    const renewal = this.#renewal ?? this.#shared(() => this.#renew(stale, this.#life.signal));
    const [key, { accessToken }] = await orCancelled(signal, Promise.all([this.key(), renewal]));
    if (accessToken === undefined) throw ended();
    return { accessToken, key };
  }

  /**
   * Runs an explicit login. A renewal under way is abandoned, so that it cannot overwrite the new session;
   * other calls that need a session wait for this one.
   */
  async open(login: () => Promise<SessionRecord>): Promise<void> {
    this.#life.abort();
    this.#life = new AbortController();
    while (this.#renewal !== undefined) await this.#renewal.catch(() => undefined);
    await this.#shared(login);
  }

  /** One login call; its answer becomes the session, and what belonged to another session is removed. */
  async login<Name extends LoginEndpoint>(
    method: LoginMethod,
    name: Name,
    body: RequestOf<Name>,
    options: Pick<CallOptions, "signal" | "b2bSecret">,
  ): Promise<SessionRecord> {
    const answer = await this.#options.http.send(name, body, { ...options, key: await this.key() });
    return this.#options.records.store(method, answer);
  }

  /**
   * Revokes the session and forgets it with key and certificate. If the session was revoked already, the
   * refusal is no failure.
   */
  async logout(signal: AbortSignal): Promise<void> {
    const { records, http, now } = this.#options;
    const stored = await records.read();
    const expired = (stored?.accessExpiresAt ?? 0) <= now();
    const record =
      stored?.refreshToken && expired ? await this.#refresh(stored, stored.refreshToken, signal) : stored;
    const { accessToken } = record ?? {};
    if (accessToken !== undefined) {
      const key = await this.key();
      await http.send("logout", {}, { signal, key, accessToken }).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.statusCode !== 401) throw error;
      });
    }
    await this.forget();
  }

  async forget(): Promise<void> {
    this.#life.abort();
    this.#life = new AbortController();
    this.#key = undefined;
    await this.#options.records.forget();
  }

  #shared(work: () => Promise<SessionRecord>): Promise<SessionRecord> {
    this.#renewal = work().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(stale: string | undefined, signal: AbortSignal): Promise<SessionRecord> {
    const record = await this.#options.records.read();
    if (record !== undefined && record.accessToken !== stale) return record;
    const { refreshToken, refreshExpiresAt = Number.POSITIVE_INFINITY } = record ?? {};
    // After that the service can only refuse, and audits the refusal.
    const isRefreshable = refreshToken !== undefined && refreshExpiresAt > this.#options.now();
    const fresh = record && isRefreshable && (await this.#refresh(record, refreshToken, signal));
    if (fresh) return fresh;
    const { loginByItself } = this.#options;
    const isOurs = record === undefined || loginByItself?.methods.includes(record.method);
    if (loginByItself && isOurs) return loginByItself.open(this, signal);
    // The method is remembered: signing in again automatically in another way would change who we are.
    if (record?.accessToken !== undefined && record.method !== "guest")
      await this.#options.records.end(record);
    throw ended();
  }

  /** Undefined where the service no longer accepts the refresh token. */
  async #refresh(
    record: SessionRecord,
    refreshToken: string,
    signal: AbortSignal,
  ): Promise<SessionRecord | undefined> {
    try {
      const answer = await this.#options.http.send(
        "refresh",
        { refreshToken },
        { signal, key: await this.key() },
      );
      return await this.#options.records.store(record.method, answer);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.statusCode !== 401) throw error;
      // Another tab may have refreshed already and stored the successor.
      const current = await this.#options.records.read();
      return current?.refreshToken === refreshToken ? undefined : current;
    }
  }
}

function ended(): ServiceError {
  return new ServiceError("unauthorized_token", "no user is signed in");
}

export type BearerOptions = Pick<CallOptions, "signal" | "idempotencyKey" | "params">;

/**
 * Calls that need a session: the token is fetched, renewed once if it is refused, and never seen by callers.
 */
export interface Api {
  /** Throws ServiceError, ConfigurationError, `cancelled`. */
  call<Name extends CallName>(
    name: Name,
    body: RequestOf<Name>,
    options: BearerOptions,
  ): Promise<AnswerOf<Name>>;
}

export function sessionApi(http: Http, session: Session): Api {
  return {
    async call(name, body, options) {
      const grant = await session.grant(options.signal).catch(ofLogin);
      try {
        return await http.send(name, body, { ...options, ...grant });
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unauthorized_token") throw error;
        const renewed = await session.renew(grant.accessToken, options.signal).catch(ofLogin);
        return http.send(name, body, { ...options, ...renewed });
      }
    },
  };
}

function ofLogin(error: unknown): never {
  if (error instanceof ServiceError) error.inLogin = true;
  throw error;
}

/** What endpoint 8 answers. */
export interface GrantedToken {
  readonly token: Bytes;
  /** Whose label the tag shows, where its statement came along and says so. */
  readonly lastCommit?: "own" | "other" | undefined;
}

/** Calls endpoint 8. Throws {@link ServiceError}, `cancelled`. */
export async function transactionToken(
  api: Api,
  tokenRequest: TransactionTokenRequest,
  signal: AbortSignal,
): Promise<GrantedToken> {
  const { uniqueDeviceId, generation, operation, channelBinding, tagCertificate, tagStatement } =
    tokenRequest;
  const { baggageId, forBaggageId } = tokenRequest;
  const body = {
    uniqueDeviceId,
    nonce: toBase64Url(tokenRequest.nonce),
    operation,
    payloadDigest: toBase64Url(tokenRequest.payloadDigest),
    gattVersion: generation,
    ...(channelBinding && { channelBinding: toBase64Url(channelBinding) }),
    ...(tagCertificate && { tagCertificate: toBase64(tagCertificate) }),
    ...(tagStatement && { tagStatement: toBase64Url(tagStatement) }),
    ...(baggageId !== undefined && { baggageId }),
    ...(forBaggageId !== undefined && { forBaggageId }),
  };
  const answer = await api.call("ebtAuthorization", body, { signal });
  try {
    return { token: fromBase64Url(answer.transactionToken), lastCommit: answer.lastCommit };
  } catch (cause) {
    throw new ServiceError("invalid_answer", "the transaction token is not base64url", { cause });
  }
}

/** The session as it is stored on this device, and the listeners for its changes. */
export class SessionRecords {
  readonly #database: TaglatchStorage;
  readonly #now: () => number;
  readonly #listeners = new Listeners<SessionState>();
  /** As this page knew it last: a call after the tag's commit must not fail by storage. */
  #known: SessionRecord | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<SessionRecord | undefined> | undefined;

  /** `now`: milliseconds since 1970. */
  constructor(database: TaglatchStorage, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Throws ConfigurationError `storage_unavailable` where this page has never read or stored one. */
  async read(): Promise<SessionRecord | undefined> {
    try {
      this.#known = await this.#database.read("session");
      this.#readAt = this.#now();
    } catch (error) {
      if (this.#known === undefined) throw error;
    }
    return this.#known;
  }

  /**
   * The same, as it was a moment ago. If another tab has ended it, the service refuses its token, and the caller
   * reads again.
   */
  recent(): Promise<SessionRecord | undefined> {
    const age = this.#now() - this.#readAt;
    const isRecent = this.#known !== undefined && age >= 0 && age < RECENT;
    if (isRecent) return Promise.resolve(this.#known);
    this.#reading ??= this.read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #write(record: SessionRecord): Promise<void> {
    const wasKnown = this.#known !== undefined;
    this.#known = record;
    await this.#database.write("session", record).catch((error: unknown) => {
      if (!wasKnown) throw error;
    });
  }

  /** The app's key, made when first needed. */
  key(): Promise<AppKey> {
    return loadAppKey(this.#database);
  }

  async state(): Promise<SessionState> {
    return stateOf(await this.read());
  }

  subscribe(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Stores the answer to a login or refresh. A certificate from another login method is removed. */
  async store(method: LoginMethod, answer: LoginResponse): Promise<SessionRecord> {
    const { accessToken, expiresIn, refreshToken, refreshExpiresIn } = answer;
    const now = this.#now();
    const record: SessionRecord = {
      method,
      accessToken,
      accessExpiresAt: now + expiresIn * 1_000,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(refreshExpiresIn !== undefined && { refreshExpiresAt: now + refreshExpiresIn * 1_000 }),
    };
    const previous = await this.read();
    if (previous !== undefined && previous.method !== method) await this.#database.forget("certificate");
    await this.#write(record);
    this.#listeners.notify(stateOf(record));
    return record;
  }

  /** The session is over, but its method is not forgotten: the user must sign in again. */
  async end({ method }: SessionRecord): Promise<void> {
    await this.#write({ method, accessExpiresAt: 0 });
    this.#listeners.notify(stateOf(undefined));
  }

  /**
   * Removes session, key and certificate from this device, and the note which passkey was used; the passkey
   * itself stays.
   */
  async forget(): Promise<void> {
    await this.#database.forget("session", "key", "certificate", "passkey", "tagNames");
    // Afterwards: a read that began before it must not bring the session back.
    this.#known = undefined;
    this.#listeners.notify(stateOf(undefined));
  }
}

function stateOf(record: SessionRecord | undefined): SessionState {
  if (record?.accessToken === undefined) return { method: "none" };
  return { method: record.method, expiresAt: record.refreshExpiresAt ?? record.accessExpiresAt };
}

/** The stored key, or a new one. */
export async function loadAppKey(database: TaglatchStorage): Promise<AppKey> {
  const pair =
    (await database.read("key")) ??
    (await database.readOrWrite("key", await crypto.subtle.generateKey(ALGORITHM, false, ["sign"])));
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const jwk = { kty, crv, x, y } as PublicJwk;
  return { privateKey: pair.privateKey, jwk, thumbprint: await jwkThumbprintText(jwk) };
}
