/** Calls that need a session: the token is fetched, renewed once when it is refused, and never seen by callers. */
import type { AnswerOf, EndpointName, RequestOf } from "../../core/api/index.ts";
import { ServiceError } from "../errors.ts";
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
