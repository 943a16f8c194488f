/**
 * Who we are to the service: a session is opened by itself as guest, renewed by refresh token, and gone for good
 * when neither works. One refresh runs at a time, whoever asks.
 */
import type { RequestOf } from "../../core/api/index.ts";
import { orCancelled } from "../abort.ts";
import type { SessionRecord } from "../database.ts";
import { ServiceError } from "../errors.ts";
import type { LoginMethod } from "../types.ts";
import type { AppKey } from "./app-key.ts";
import type { CallOptions, Http } from "./http.ts";
import type { SessionRecords } from "./session-records.ts";

/** A token this close to its end (milliseconds) is renewed before it is used. */
const MARGIN = 30_000;

type LoginEndpoint = "federatedSession" | "attestationSession" | "guestSession" | "b2bSession";

/** What a call needs. */
export interface Grant {
  readonly accessToken: string;
  readonly key: AppKey;
}

export interface SessionOptions {
  readonly http: Http;
  readonly records: SessionRecords;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Opens a session where there is none; absent where a person must sign in. */
  readonly loginByItself: ((session: Session, signal: AbortSignal) => Promise<SessionRecord>) | undefined;
}

export class Session {
  readonly #options: SessionOptions;
  /** Cancels the shared work when nobody can want it any more: at log-out. */
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

  /** A usable access token, renewed first where it is about to end. Throws ServiceError, ConfigurationError. */
  async grant(signal: AbortSignal): Promise<Grant> {
    const [key, record] = await orCancelled(signal, Promise.all([this.key(), this.#options.records.read()]));
    const { accessToken, accessExpiresAt = 0 } = record ?? {};
    if (accessToken !== undefined && accessExpiresAt - MARGIN > this.#options.now())
      return { accessToken, key };
    return this.renew(accessToken, signal);
  }

  /** The same after the service refused `stale`, unless somebody has renewed it meanwhile. */
  async renew(stale: string | undefined, signal: AbortSignal): Promise<Grant> {
    const renewal = this.#renewal ?? this.#shared(() => this.#renew(stale, this.#life.signal));
    const [key, { accessToken }] = await orCancelled(signal, Promise.all([this.key(), renewal]));
    if (accessToken === undefined) throw ended();
    return { accessToken, key };
  }

  /**
   * Runs an explicit login. A renewal under way is given up, so that it cannot overwrite the new session; calls that
   * need a session meanwhile wait for this one.
   */
  async open(login: () => Promise<SessionRecord>): Promise<void> {
    this.#life.abort();
    this.#life = new AbortController();
    while (this.#renewal !== undefined) await this.#renewal.catch(() => undefined);
    await this.#shared(login);
  }

  /** One login call; its answer becomes the session, and what belonged to another session goes. */
  async login<Name extends LoginEndpoint>(
    method: LoginMethod,
    name: Name,
    body: RequestOf<Name>,
    options: Pick<CallOptions, "signal" | "b2bSecret">,
  ): Promise<SessionRecord> {
    const answer = await this.#options.http.send(name, body, { ...options, key: await this.key() });
    return this.#options.records.store(method, answer);
  }

  /** Revokes the session and forgets it with key and certificate. A refusal of the revoked is no failure. */
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
    const fresh = record?.refreshToken && (await this.#refresh(record, record.refreshToken, signal));
    if (fresh) return fresh;
    if (record === undefined || record.method === "guest") {
      if (this.#options.loginByItself) return this.#options.loginByItself(this, signal);
    } else if (record.accessToken !== undefined) {
      // The method is remembered: signing in again as a guest by itself would change who we are.
      await this.#options.records.end(record);
    }
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
      // Another tab may have rotated it and written its successor.
      const current = await this.#options.records.read();
      return current?.refreshToken === refreshToken ? undefined : current;
    }
  }
}

function ended(): ServiceError {
  return new ServiceError("unauthorized_token", "nobody is signed in");
}
