/** Reads the service's answers other than success, and decides what is worth trying again. */

// Apart, because its type is public: the declarations of the others need a schema library.
import { type BagRefusal, refusalNamed } from "../../core/api/error-codes.ts";
import { ErrorResponse, HEADER, isErrorCode, parseAnswer } from "../../core/api/index.ts";
import { ServiceError, type ServiceErrorCode } from "../errors.ts";

/**
 * Several airlines have a booking with this record locator and surname, and none was loaded. Ask which it is, and send the same
 * again with `airline`.
 */
export class AirlineRequiredError extends ServiceError {
  /** IATA designators of the airlines to choose from. */
  get airlines(): readonly string[] {
    return this.errors;
  }
}

/** The airline does not accept the bag. Show the person the reason in their language, and the airline's sentence if there is one. */
export class BagRefusedError extends ServiceError {
  /** Why. */
  get refusal(): BagRefusal {
    return refusalNamed(this.errors[0]);
  }
  /** In the airline's own words, for the passenger. */
  get sentence(): string | undefined {
    return this.errors[1];
  }
}

/** Up to this Retry-After (seconds), we wait without asking anybody. */
const PATIENCE = 2;

/** The refusal in a non-2xx answer; `json` is its body, undefined where it is none. */
export function refusalIn(answer: Pick<Response, "status" | "headers">, json: unknown): ServiceError {
  const details = {
    statusCode: answer.status,
    requestId: answer.headers.get(HEADER.requestId) ?? undefined,
    retryAfter: seconds(answer.headers.get("Retry-After")),
  };
  const parsed = parseAnswer(ErrorResponse, json);
  // What a proxy has made of an answer is not the service's.
  if (!parsed.ok || parsed.value.statusCode !== answer.status)
    return new ServiceError(foreignCode(answer.status), `answered ${answer.status}`, details);
  const { errorCode, message, errors } = parsed.value;
  const said = { ...details, errors };
  // A later version's code.
  if (!isErrorCode(errorCode)) return new ServiceError(foreignCode(answer.status), message, said);
  if (errorCode === "airline_required") return new AirlineRequiredError(errorCode, message, said);
  if (errorCode === "bag_refused") return new BagRefusedError(errorCode, message, said);
  return new ServiceError(errorCode, message, said);
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
export function isLost({ code, statusCode }: ServiceError): boolean {
  return (
    code === "network" || code === "service_timeout" || code === "invalid_answer" || (statusCode ?? 0) >= 500
  );
}

/** Milliseconds to wait before trying again, undefined where that is pointless. */
export function waitBefore(error: ServiceError, delay = 0): number | undefined {
  const { code, retryAfter } = error;
  const again = code === "network" || code === "service_timeout" || code === "service_unavailable";
  if (!again && code !== "idempotency_in_flight") return undefined;
  if (retryAfter !== undefined) return retryAfter <= PATIENCE ? retryAfter * 1_000 : undefined;
  return delay * (0.75 + Math.random() / 2);
}
