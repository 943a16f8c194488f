import {
  type AnswerOf,
  type Call,
  type CallName,
  calls,
  HEADER,
  parseAnswer,
  type RequestOf,
} from "../../core/api/index.ts";
import { type Bytes, copyBytes, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { cancelled, orCancelled, sleep, within } from "../abort.ts";
import { ServiceError } from "../errors.ts";
import { isLost, refusalIn, waitBefore } from "./service-answers.ts";
import type { ServiceClock } from "./service-clock.ts";

/** One way to fetch: headers and body within one time limit. */

/** Milliseconds. */
const TIMEOUT = 10_000;

export interface WholeAnswer {
  readonly answer: Response;
  readonly text: string;
}

/**
 * Rejects with what `late` makes when headers and body together take too long, with `cancelled`, and as fetch does when the
 * connection breaks, in the body too. The request ends with this call: a fetch that ignores its signal blocks no caller.
 */
export async function fetchWhole(
  send: typeof fetch,
  request: RequestInit & { readonly url: string },
  signal: AbortSignal,
  late: () => Error,
): Promise<WholeAnswer> {
  const attempt = new AbortController();
  const whole = async () => {
    const { url, ...init } = request;
    const answer = await send(url, { ...init, signal: attempt.signal });
    return { answer, text: await answer.text() };
  };
  try {
    return await within(TIMEOUT, signal, whole(), late);
  } finally {
    attempt.abort();
  }
}

/**
 * The one way to the service: the endpoints table, a key proof per try, time-outs, retries where they are
 * safe, answers parsed by their schema, refusals as {@link ServiceError}. Knows nothing of sessions: callers
 * pass the token.
 */

const RETRY_DELAYS = [300, 900] as const;

/** A second try would present a nonce that the first one burnt. */
const ONCE: readonly CallName[] = ["guestSession", "attestationSession"];

/** Public members only. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/**
 * The app's one key pair: P-256, with a private half that cannot be extracted, kept in IndexedDB. It signs DPoP proofs
 * and attestations, and the service certifies it for tags.
 */
export interface AppKey {
  readonly privateKey: CryptoKey;
  readonly jwk: PublicJwk;
  /** RFC 7638, base64url. */
  readonly thumbprint: string;
}

export interface HttpOptions {
  /** Origin and path before `/v2`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clientKey: (signal: AbortSignal) => Promise<string>;
  readonly clock: ServiceClock;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly key: AppKey;
  readonly accessToken?: string;
  readonly idempotencyKey?: string;
  readonly b2bSecret?: string;
  /** For `{name}` in the path. */
  readonly params?: Readonly<Record<string, string>>;
}

export class Http {
  readonly #options: HttpOptions;
  /** The service's latest nonce for our proofs. */
  #dpopNonce: string | undefined;
  /** The latest database bookmark in an answer to us: a copy that is older may not answer our look-ups. */
  #bookmark = "";

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** One call, tried at most three times. Throws {@link ServiceError}, ConfigurationError, `cancelled`. */
  async send<Name extends CallName>(
    name: Name,
    body: RequestOf<Name>,
    options: CallOptions,
  ): Promise<AnswerOf<Name>> {
    let lost = false;
    let reproved = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#try(name, body, options);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "invalid_dpop_proof" && !reproved) {
          // The answer may have brought a nonce or the true time.
          reproved = true;
          continue;
        }
        const delay = RETRY_DELAYS[attempt];
        const wait = waitBefore(error, delay);
        lost ||= isLost(error);
        error.afterLostAnswer = lost;
        if (delay === undefined || wait === undefined || ONCE.includes(name)) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  async #try<Name extends CallName>(
    name: Name,
    body: RequestOf<Name>,
    options: CallOptions,
  ): Promise<AnswerOf<Name>> {
    const { signal } = options;
    const url = this.#url(name, options.params);
    const headers = await this.#headers(name, url, options);
    const late = () => new ServiceError("service_timeout", "the service did not answer in time");
    const request = {
      url,
      method: "POST",
      headers,
      body: JSON.stringify(body),
      cache: "no-store",
      // There are no cookies. But an answer to a request without credentials may not make the browser clear
      // anything.
      credentials: name === "logout" ? "same-origin" : "omit",
    } as const;
    const sentAt = this.#options.clock.device();
    let whole: WholeAnswer;
    try {
      whole = await fetchWhole(this.#options.fetch, request, signal, late);
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      if (signal.aborted) throw cancelled(cause);
      throw new ServiceError("network", "the service cannot be reached", { cause });
    }
    return this.#read(name, whole, sentAt);
  }

  #url(name: CallName, params: Readonly<Record<string, string>> = {}): string {
    const path = calls[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(params[key] ?? ""),
    );
    return new URL(this.#options.baseUrl + path, globalThis.location?.href).href;
  }

  async #headers(name: CallName, url: string, options: CallOptions): Promise<Record<string, string>> {
    const call: Call = calls[name];
    const { key, accessToken, idempotencyKey, b2bSecret, signal } = options;
    const clientKey = await orCancelled(signal, this.#options.clientKey(signal));
    // Only now, because the answer that brings the client key corrects the clock.
    const iat = Math.floor(this.#options.clock.now() / 1_000);
    return {
      "Content-Type": "application/json",
      [HEADER.clientKey]: clientKey,
      [HEADER.dpop]: await dpopProof(key, { url, accessToken, nonce: this.#dpopNonce, iat }),
      ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
      ...(idempotencyKey !== undefined && { [HEADER.idempotencyKey]: idempotencyKey }),
      ...(b2bSecret !== undefined && { [HEADER.b2bSecret]: b2bSecret }),
      ...(call.replica === true && this.#bookmark !== "" && { [HEADER.bookmark]: this.#bookmark }),
    };
  }

  #read<Name extends CallName>(name: Name, { answer, text }: WholeAnswer, sentAt: number): AnswerOf<Name> {
    const { clock } = this.#options;
    clock.read(answer.headers);
    this.#dpopNonce = answer.headers.get("DPoP-Nonce") ?? this.#dpopNonce;
    const bookmark = answer.headers.get(HEADER.bookmark) ?? "";
    // Bookmarks sort as text; an answer that was overtaken brings an older one.
    if (bookmark > this.#bookmark) this.#bookmark = bookmark;
    const requestId = answer.headers.get(HEADER.requestId) ?? undefined;
    const json = jsonIn(text);
    if (!answer.ok) {
      const error = refusalIn(answer, json);
      if (error.code === "invalid_dpop_proof") clock.limit(answer.headers, sentAt);
      throw error;
    }
    const parsed = parseAnswer(calls[name].response, json);
    if (parsed.ok) return parsed.value as AnswerOf<Name>;
    const what = `${name} answered with wrong fields: ${parsed.fields.join(", ")}`;
    throw new ServiceError("invalid_answer", what, { statusCode: answer.status, requestId });
  }
}

/** Undefined where it is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A compact JWS (RFC 7515), ES256, with the public key in its header. */
export async function signJws(key: AppKey, typ: string, claims: object): Promise<string> {
  const header = { alg: "ES256", typ, jwk: key.jwk };
  const input = [header, claims].map((part) => toBase64Url(utf8(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.privateKey, utf8(input));
  return `${input}.${toBase64Url(copyBytes(signature))}`;
}

/** The request that one DPoP proof (RFC 9449 §4.2) is for. */
export interface ProofOf {
  readonly url: string;
  readonly accessToken?: string | undefined;
  /** The server's nonce, if it has sent one. */
  readonly nonce?: string | undefined;
  /** Seconds since 1970. */
  readonly iat: number;
}

/** A new proof for one POST. */
export async function dpopProof(key: AppKey, { url, accessToken, nonce, iat }: ProofOf): Promise<string> {
  const ath = accessToken === undefined ? undefined : toBase64Url(await sha256(utf8(accessToken)));
  return signJws(key, "dpop+jwt", { jti: crypto.randomUUID(), htm: "POST", htu: url, iat, ath, nonce });
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return copyBytes(await crypto.subtle.digest("SHA-256", bytes));
}
