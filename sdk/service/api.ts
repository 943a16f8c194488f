/** Calls that need a session: the token is fetched, renewed once when it is refused, and never seen by callers. */
import type { AnswerOf, EndpointName, RequestOf } from "../../core/api/index.ts";
import { type Bytes, fromBase64Url, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { ServiceError } from "../errors.ts";
import type { TransactionWish } from "../types.ts";
import type { CallOptions, Http } from "./http.ts";
import type { Session } from "./session.ts";

export type BearerOptions = Pick<CallOptions, "signal" | "idempotencyKey" | "params">;

export interface Api {
  /** Throws ServiceError, ConfigurationError, `cancelled`. */
  call<Name extends EndpointName>(
    name: Name,
    body: RequestOf<Name>,
    options: BearerOptions,
  ): Promise<AnswerOf<Name>>;
}

export function sessionApi(http: Http, session: Session): Api {
  return {
    async call(name, body, options) {
      const grant = await session.grant(options.signal);
      try {
        return await http.send(name, body, { ...options, ...grant });
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unauthorized_token") throw error;
        const renewed = await session.renew(grant.accessToken, options.signal);
        return http.send(name, body, { ...options, ...renewed });
      }
    },
  };
}

/** Endpoint 8 in bytes. Throws {@link ServiceError}, `cancelled`. */
export async function transactionToken(api: Api, wish: TransactionWish, signal: AbortSignal): Promise<Bytes> {
  const { uniqueDeviceId, generation, operation, channelBinding, tagCertificate, baggageId } = wish;
  const body = {
    uniqueDeviceId,
    nonce: toBase64Url(wish.nonce),
    operation,
    payloadDigest: toBase64Url(wish.payloadDigest),
    gattVersion: generation,
    ...(channelBinding && { channelBinding: toBase64Url(channelBinding) }),
    ...(tagCertificate && { tagCertificate: toBase64(tagCertificate) }),
    ...(baggageId !== undefined && { baggageId }),
  };
  const answer = await api.call("ebtAuthorization", body, { signal });
  try {
    return fromBase64Url(answer.transactionToken);
  } catch (cause) {
    throw new ServiceError("invalid_answer", "the transaction token is not base64url", { cause });
  }
}
