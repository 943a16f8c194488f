/**
 * One way to the service: the endpoints table, a key proof per try, time-outs, tries again where that is safe, answers
 * parsed by their schema, refusals as {@link ServiceError}. Knows nothing of sessions: a token is handed to it.
 */
import {
  type AnswerOf,
  type EndpointName,
  ErrorResponse,
  endpoints,
  HEADER,
  isErrorCode,
  parseBody,
  type RequestOf,
} from "../../core/api/index.ts";
import { cancelled, orCancelled, sleep, within } from "./abort.ts";
import { type AppKey, dpopProof } from "./app-key.ts";
import { ServiceError, type ServiceErrorCode } from "./errors.ts";

const TIMEOUT = 10_000;
const RETRY_DELAYS = [300, 900] as const;
/** A Retry-After no longer than this (seconds) is waited for without asking. */
const PATIENCE = 2;

/** A second try would present a nonce that the first one burnt. */
const ONCE: readonly EndpointName[] = ["guestSession", "attestationSession"];

export interface HttpOptions {
  /** Origin and path before `/v2`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clientKey: (signal: AbortSignal) => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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
  /** What the server taught us about proofs: its nonce, and how far its clock is from ours. */
  #dpopNonce: string | undefined;
  #skew = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** One call, tried at most three times. Throws {@link ServiceError}, ConfigurationError, `cancelled`. */
  async send<Name extends EndpointName>(
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
        if (delay === undefined || wait === undefined || ONCE.includes(name)) throw remembering(error, lost);
        lost ||= isLost(error);
        await sleep(wait, options.signal);
      }
    }
  }

  async #try<Name extends EndpointName>(
    name: Name,
    body: RequestOf<Name>,
    options: CallOptions,
  ): Promise<AnswerOf<Name>> {
    const { signal } = options;
    const url = this.#url(name, options.params);
    const headers = await this.#headers(url, options);
    // Not the caller's signal alone: a fetch that ignores it must not hold anybody.
    const attempt = new AbortController();
    const late = () => new ServiceError("service_timeout", "the service did not answer in time");
    try {
      const sent = this.#options.fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        cache: "no-store",
        credentials: "omit",
        signal: attempt.signal,
      });
      return await within(
        TIMEOUT,
        signal,
        sent.then((answer) => this.#read(name, answer)),
        late,
      );
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      if (signal.aborted) throw cancelled(cause);
      throw new ServiceError("network", "the service cannot be reached", { cause });
    } finally {
      attempt.abort();
    }
  }

  #url(name: EndpointName, params: Readonly<Record<string, string>> = {}): string {
    const path = endpoints[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(params[key] ?? ""),
    );
    return new URL(this.#options.baseUrl + path, globalThis.location?.href).href;
  }

  async #headers(url: string, options: CallOptions): Promise<Record<string, string>> {
    const { key, accessToken, idempotencyKey, b2bSecret, signal } = options;
    const iat = Math.floor((this.#options.now() + this.#skew) / 1_000);
    return {
      "Content-Type": "application/json",
      [HEADER.clientKey]: await orCancelled(signal, this.#options.clientKey(signal)),
      [HEADER.dpop]: await dpopProof(key, { url, accessToken, nonce: this.#dpopNonce, iat }),
      ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
      ...(idempotencyKey !== undefined && { [HEADER.idempotencyKey]: idempotencyKey }),
      ...(b2bSecret !== undefined && { [HEADER.b2bSecret]: b2bSecret }),
    };
  }

  async #read<Name extends EndpointName>(name: Name, answer: Response): Promise<AnswerOf<Name>> {
    this.#dpopNonce = answer.headers.get("DPoP-Nonce") ?? this.#dpopNonce;
    const requestId = answer.headers.get(HEADER.requestId) ?? undefined;
    const json: unknown = await answer.json().catch(() => undefined);
    if (!answer.ok) throw this.#refusal(answer, json, requestId);
    const parsed = parseBody(endpoints[name].response, json);
    if (parsed.ok) return parsed.value as AnswerOf<Name>;
    const what = `${name} answered with wrong fields: ${parsed.fields.join(", ")}`;
    throw new ServiceError("invalid_answer", what, { statusCode: answer.status, requestId });
  }

  #refusal(answer: Response, json: unknown, requestId: string | undefined): ServiceError {
    const parsed = parseBody(ErrorResponse, json);
    const retryAfter = seconds(answer.headers.get("Retry-After"));
    const details = { statusCode: answer.status, requestId, retryAfter };
    if (!parsed.ok || !isErrorCode(parsed.value.errorCode))
      return new ServiceError(foreignCode(answer.status), `answered ${answer.status}`, details);
    const { errorCode, message, errors } = parsed.value;
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (errorCode === "invalid_dpop_proof" && date > 0) this.#skew = date - this.#options.now();
    return new ServiceError(errorCode, message, { ...details, errors });
  }
}

/** Answers that are not the service's own: a proxy's, or a captive portal's. */
function foreignCode(status: number): ServiceErrorCode {
  if (status === 429) return "too_many_requests";
  return status >= 500 ? "service_unavailable" : "invalid_answer";
}

function seconds(header: string | null): number | undefined {
  const value = header === null ? Number.NaN : Number(header);
  return Number.isFinite(value) ? value : undefined;
}

/** The call may have been carried out although we do not know its answer. */
function isLost({ code, statusCode }: ServiceError): boolean {
  return (
    code === "network" || code === "service_timeout" || code === "invalid_answer" || (statusCode ?? 0) >= 500
  );
}

/** Milliseconds to wait before trying again, undefined where that is pointless. */
function waitBefore(error: ServiceError, delay = 0): number | undefined {
  const { code, retryAfter } = error;
  const again = code === "network" || code === "service_timeout" || code === "service_unavailable";
  if (!again && code !== "idempotency_in_flight") return undefined;
  if (retryAfter !== undefined) return retryAfter <= PATIENCE ? retryAfter * 1_000 : undefined;
  return delay * (0.75 + Math.random() / 2);
}

function remembering(error: ServiceError, lost: boolean): ServiceError {
  if (!lost && !isLost(error)) return error;
  const { code, message, statusCode, requestId, retryAfter, errors, cause } = error;
  return new ServiceError(code, message, {
    statusCode,
    requestId,
    retryAfter,
    errors,
    cause,
    afterLostAnswer: true,
  });
}
